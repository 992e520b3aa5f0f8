import type {
	IConnections,
	INode,
	IPinData,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';

/** A workflow as the editor exports it. */
export interface WorkflowFile {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings?: IWorkflowSettings;
	pinData?: IPinData;
}

/** A workflow as n8n keeps it. */
export interface WorkflowRecord extends WorkflowFile {
	id: string;
	versionId: string;
	active: boolean;
	staticData?: Record<string, unknown> | null;
}

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export interface ExecutionSummary {
	id: string;
	/** new, running, success, error, canceled, crashed, waiting */
	status: string;
	mode: string;
}

export interface Execution extends ExecutionSummary {
	data: IRunExecutionData;
	/** The workflow as n8n keeps it with the execution. */
	workflowData: WorkflowFile;
}
