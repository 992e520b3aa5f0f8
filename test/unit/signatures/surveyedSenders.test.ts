import { countSenders, describeSenders } from '../../support/describeSenders';
import { beyondReach, surveyedSenders } from '../../support/surveyedSenders';

it('of 76 senders 63 are recognised, and 9 can be described', () => {
	expect(countSenders(surveyedSenders)).toEqual({ recognised: 63, described: 9 });
	expect(surveyedSenders.length + Object.keys(beyondReach).length).toBe(76);
	expect(new Set(surveyedSenders.map(({ name }) => name)).size).toBe(surveyedSenders.length);
});

describeSenders(surveyedSenders);
