export interface Company {
	company_number: string;
	company_name: string;
	/** The service's full set of values is not shown. */
	company_status: string;
}

/**
 * Companies that the search knows. All are made up, and the register has issued none of their numbers: it is
 * far from those that begin with 99.
 */
export const companies: Company[] = [
	['99000001', 'TESSELLATE STORES PLC', 'active'],
	['99487520', 'KESTREL & FOX PUBLISHING LIMITED', 'active'],
	['99213344', 'NORTHGATE BRICKWORKS LIMITED', 'liquidation'],
	['99718281', 'EULER INSTRUMENTS LIMITED', 'active'],
	['99141592', 'CIRCLE BAKERIES LIMITED', 'active'],
	['99123456', 'QUILL AND INKWELL LIMITED', 'dissolved'],
	['99080808', 'TANDEM BICYCLES LIMITED', 'active'],
	['99223344', 'LANTERN SOFTWARE LIMITED', 'active'],
	['99121212', 'CAFÉ ÉTOILE LIMITED', 'active'],
	['99000002', 'TESSELLATE TRADING SERVICES LIMITED', 'dissolved'],
	['SC993456', 'GLEN ORRIN DISTILLERS LIMITED', 'active'],
	['SC994321', 'ISLE OF RONA WEAVERS LIMITED', 'dissolved'],
	['99213345', 'NORTHGATE FOODS LIMITED', 'active'],
	['99213346', 'NORTHGATE JOINERY LIMITED', 'dissolved'],
	['IP990CUS', 'CUSTARD FACTORY CO-OPERATIVE SOCIETY LIMITED', 'active'],
].map(([company_number = '', company_name = '', company_status = '']) => ({
	company_number,
	company_name,
	company_status,
}));
