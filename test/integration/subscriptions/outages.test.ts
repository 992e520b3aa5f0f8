// Publishing and unpublishing while the service is out of order, or limits requests.
import { failureOf, active, counts, serviceForEachTest, watched } from '../../support/atService';
import { warnings } from '../../support/logCapture';
import { companyNumbers, watch, type SavedWorkflow } from '../../support/savedWorkflow';

const COMPANIES = companyNumbers(20);

const simulator = serviceForEachTest();
let workflow: SavedWorkflow;

beforeEach(() => {
	workflow = watch(simulator, COMPANIES);
});
