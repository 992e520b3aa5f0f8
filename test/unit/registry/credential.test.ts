// The base URL as users enter it, and as requests use it.
import { normaliseBaseUrl } from '../../../nodes/CompanyRegistry/registry/credential';

it.each([
	[' https://api.example.com/ \n', 'https://api.example.com'],
	['https://api.example.com/v1///', 'https://api.example.com'],
	['https://gateway.example.com/registry/v1/', 'https://gateway.example.com/registry'],
	['http://127.1/v1', 'http://127.0.0.1'],
	['http://localhost.', 'http://localhost.'],
	['http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]'],
	['http://[::1]:3000/', 'http://[::1]:3000'],
	['HTTPS://API.example.com', 'https://api.example.com'],
	['https://api.example.com/v10', 'https://api.example.com/v10'],
])('%j becomes %s', (value, expected) => {
	expect(normaliseBaseUrl(value)).toBe(expected);
});

it.each([
	...['', 'api.example.com', 'HTTP://api.example.com', 'http://localhost.example.com'],
	...['http://127.0.0.1.example.com', 'http://10.0.0.7', 'https://user:password@api.example.com'],
	...['https://api.example.com?key=1', 'https://api.example.com/#top'],
	...['https://api.example.com/a b', 'https://api.example.com:99999', undefined],
])('%j is refused', (value) => {
	expect(normaliseBaseUrl(value)).toBeUndefined();
});
