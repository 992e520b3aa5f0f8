export interface Company {
	company_number: string;
	company_name: string;
	/** The service's full set of values is not shown. */
	company_status: string;
}

/** Companies that the search knows. All are made up, whoever may hold the numbers in real life. */
export const companies: Company[] = [
	['00000006', 'OLD TURNPIKE AND BRIDGE COMPANY', 'active'],
	['00112233', 'ALBION CANAL CARRIERS LIMITED', 'dissolved'],
	['00445790', 'TESSELLATE STORES PLC', 'active'],
	['01002003', 'BRAMBLE LANE HOLDINGS LIMITED', 'active'],
	['01487520', 'KESTREL & FOX PUBLISHING LIMITED', 'active'],
	['02213344', 'NORTHGATE BRICKWORKS LIMITED', 'liquidation'],
	['02718281', 'EULER INSTRUMENTS LIMITED', 'active'],
	['03141592', 'CIRCLE BAKERIES LIMITED', 'active'],
	['03960017', 'HARBOUR LIGHT ENERGY PLC', 'active'],
	['04123456', 'QUILL AND INKWELL LIMITED', 'dissolved'],
	['04669201', 'FEIGENBAUM SYSTEMS LIMITED', 'active'],
	['05500110', 'SILVER BIRCH CARE HOMES LIMITED', 'active'],
	['05772156', 'GAMMA LOGISTICS LIMITED', 'active'],
	['06180339', 'GOLDEN RATIO DESIGN LIMITED', 'active'],
	['07071067', 'DIAGONAL FREIGHT LIMITED', 'administration'],
	['07654321', "O'HARE & DAUGHTERS LIMITED", 'active'],
	['08080808', 'TANDEM BICYCLES LIMITED', 'active'],
	['09160000', 'ZETA PROPERTY VENTURES LIMITED', 'active'],
	['10203040', 'BRIGHTWATER FOODS LIMITED', 'active'],
	['11223344', 'LANTERN SOFTWARE LIMITED', 'active'],
	['12121212', 'CAFÉ ÉTOILE LIMITED', 'active'],
	['13579111', 'ODD NUMBERS ACCOUNTANCY LIMITED', 'active'],
	['14142135', 'ROOT TWO ANALYTICS LIMITED', 'active'],
	['15000001', 'TESSELLATE TRADING SERVICES LIMITED', 'dissolved'],
	['SC123456', 'GLEN ORRIN DISTILLERS LIMITED', 'active'],
	['SC654321', 'ISLE OF RONA WEAVERS LIMITED', 'dissolved'],
	['SL00911A', 'BEN VANE PARTNERS LP', 'active'],
	['NI012345', 'LOUGH AND MOURNE LINEN LIMITED', 'active'],
	['R0000521', 'BELFAST ROPE AND TWINE LIMITED', 'dissolved'],
	['OC301234', 'PARKER WREN LLP', 'active'],
	['IP000CUS', 'CUSTARD FACTORY CO-OPERATIVE SOCIETY LIMITED', 'active'],
].map(([company_number = '', company_name = '', company_status = '']) => ({
	company_number,
	company_name,
	company_status,
}));
