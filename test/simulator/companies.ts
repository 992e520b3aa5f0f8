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
	['99000006', 'OLD TURNPIKE AND BRIDGE COMPANY', 'active'],
	['99112233', 'ALBION CANAL CARRIERS LIMITED', 'dissolved'],
	['99000001', 'TESSELLATE STORES PLC', 'active'],
	['99002003', 'BRAMBLE LANE HOLDINGS LIMITED', 'active'],
	['99487520', 'KESTREL & FOX PUBLISHING LIMITED', 'active'],
	['99213344', 'NORTHGATE BRICKWORKS LIMITED', 'liquidation'],
	['99718281', 'EULER INSTRUMENTS LIMITED', 'active'],
	['99141592', 'CIRCLE BAKERIES LIMITED', 'active'],
	['99960017', 'HARBOUR LIGHT ENERGY PLC', 'active'],
	['99123456', 'QUILL AND INKWELL LIMITED', 'dissolved'],
	['99669201', 'FEIGENBAUM SYSTEMS LIMITED', 'active'],
	['99500110', 'SILVER BIRCH CARE HOMES LIMITED', 'active'],
	['99772156', 'GAMMA LOGISTICS LIMITED', 'active'],
	['99180339', 'GOLDEN RATIO DESIGN LIMITED', 'active'],
	['99071067', 'DIAGONAL FREIGHT LIMITED', 'administration'],
	['99654321', "O'HARE & DAUGHTERS LIMITED", 'active'],
	['99080808', 'TANDEM BICYCLES LIMITED', 'active'],
	['99160000', 'ZETA PROPERTY VENTURES LIMITED', 'active'],
	['99203040', 'BRIGHTWATER FOODS LIMITED', 'active'],
	['99223344', 'LANTERN SOFTWARE LIMITED', 'active'],
	['99121212', 'CAFÉ ÉTOILE LIMITED', 'active'],
	['99579111', 'ODD NUMBERS ACCOUNTANCY LIMITED', 'active'],
	['99142135', 'ROOT TWO ANALYTICS LIMITED', 'active'],
	['99000002', 'TESSELLATE TRADING SERVICES LIMITED', 'dissolved'],
	['SC993456', 'GLEN ORRIN DISTILLERS LIMITED', 'active'],
	['SC994321', 'ISLE OF RONA WEAVERS LIMITED', 'dissolved'],
	['SL99911A', 'BEN VANE PARTNERS LP', 'active'],
	['NI992345', 'LOUGH AND MOURNE LINEN LIMITED', 'active'],
	['R9900521', 'BELFAST ROPE AND TWINE LIMITED', 'dissolved'],
	['OC991234', 'PARKER WREN LLP', 'active'],
	['IP990CUS', 'CUSTARD FACTORY CO-OPERATIVE SOCIETY LIMITED', 'active'],
].map(([company_number = '', company_name = '', company_status = '']) => ({
	company_number,
	company_name,
	company_status,
}));
