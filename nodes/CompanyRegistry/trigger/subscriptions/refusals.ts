import type { RegistryFailure } from '../../registry/failure';
import { concernsOneCompany } from './answers';
import { CompaniesRefused, CompanyFailure, type Refusal } from './publishErrors';

/** If the first so many companies are refused in the same words, the reason concerns them all. */
const REFUSALS_OF_ALL = 20;

/** Companies that the service refuses in one publish. They do not stop the others. */
export class Refusals {
	private readonly refused: Refusal[] = [];

	/**
	 * @param succeeded how many companies are as wanted by now
	 * @throws CompanyFailure when the failure concerns more than this company
	 * @throws CompaniesRefused when the first companies show that all are going to be refused
	 */
	add(company: string, failure: unknown, succeeded: number): void {
		if (!concernsOneCompany(failure)) throw new CompanyFailure(company, failure);
		this.refused.push({ company, failure });
		const [first] = this.refused;
		const concernsAll =
			succeeded === 0 &&
			this.refused.length >= REFUSALS_OF_ALL &&
			this.refused.every((refusal) => isSameRefusal(refusal.failure, first.failure));
		if (concernsAll) throw new CompaniesRefused(this.refused, true);
	}

	/** As the error that tells of them; undefined when none was refused. */
	asError(): CompaniesRefused | undefined {
		return this.refused.length > 0 ? new CompaniesRefused(this.refused) : undefined;
	}
}

function isSameRefusal(one: RegistryFailure, other: RegistryFailure): boolean {
	return one.message === other.message && one.description === other.description;
}
