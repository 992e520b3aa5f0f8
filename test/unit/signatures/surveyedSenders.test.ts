// Senders of the survey that this package was built after.
import { countSenders, describeSenders } from '../../support/describeSenders';
import { beyondReach, surveyedSenders } from '../../support/surveyedSenders';

it('of 76 senders 65 are recognised, and 7 can be described', () => {
	expect(countSenders(surveyedSenders)).toEqual({ recognised: 65, described: 7 });
	expect(surveyedSenders.length + Object.keys(beyondReach).length).toBe(76);
	expect(new Set(surveyedSenders.map(({ name }) => name)).size).toBe(surveyedSenders.length);
});

describeSenders(surveyedSenders);
