import { getRecord } from './getRecord';
import { search } from './search';

export const companyOperations = [getRecord, search];
