// Each example, and an AI agent with the action node. mails.test.ts has what becomes of mails.
import './actions';
import './agent';
import './serveAList';
import './trigger';
