// The examples avoid what n8n 3 removes. See docs/self-hosting.md.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { exampleWorkflow } from '../../n8n-host/exampleWorkflows';

const examples = readdirSync(join(__dirname, '../../../examples')).map((file) =>
	file.replace(/\.json$/, ''),
);
const GONE = ['function', 'functionItem', 'itemLists'].map((name) => `n8n-nodes-base.${name}`);
const CHANGED = ['n8n-nodes-base.if', 'n8n-nodes-base.switch'];

test.each(examples)('examples/%s.json', (name) => {
	const { nodes } = exampleWorkflow(name);
	expect(nodes.filter(({ type }) => GONE.includes(type))).toEqual([]);
	expect(JSON.stringify(nodes)).not.toMatch(/\$getPairedItem|\$evaluateExpression/);
	const agents = nodes.filter(({ type }) => type.endsWith('langchain.agent'));
	expect(agents.filter(({ typeVersion }) => typeVersion < 2)).toEqual([]);
	// It puts out an empty item in other cases than before.
	const branches = nodes.filter(({ type }) => CHANGED.includes(type));
	expect(branches.filter(({ alwaysOutputData }) => alwaysOutputData)).toEqual([]);
});
