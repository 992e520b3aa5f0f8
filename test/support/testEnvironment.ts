// Where jest runs each test file.
import { TestEnvironment } from 'jest-environment-node';

// jest gives a worker half a second to end, and clearing its memory away takes longer.
process.once('beforeExit', () => process.exit());

export default TestEnvironment;
