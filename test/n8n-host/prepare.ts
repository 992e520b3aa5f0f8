// Starts n8n for the first time, before the tests that need it.
import { testedInstallation } from './installation';
import { preparedFolder } from './preparedFolder';

void preparedFolder(testedInstallation);
