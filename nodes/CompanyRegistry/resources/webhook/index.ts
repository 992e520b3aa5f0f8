import { create } from './create';
import { get } from './get';
import { getAll } from './getAll';
import { pause, resume } from './pauseResume';
import { update } from './update';

export const webhookOperations = [create, get, getAll, pause, resume, update];
