/*
 * URLs that lead into an internal network, in the spellings used to bypass checks. PORT stands for the port of a
 * protected service.
 */

/** Every spelling of loopback. */
const loopback = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '0x0',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'app.localhost',
  'app.localhost.',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:7f00:0001::1]',
  '[2001:0:7f00:1::]',
]

/** Private, link-local, multicast, reserved and otherwise special. */
const special = [
  '10.0.0.1',
  '10.255.255.255',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0xc0a80001',
  '3232235521',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '0.1.2.3',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[2001:db8::1]',
  // protocol assignments (RFC 2928), followed by some of those assigned
  '[2001:1::1]', // port control (RFC 7723)
  '[2001:1::3]', // service discovery (RFC 9665)
  '[2001:2::1]', // benchmarks (RFC 5180)
  '[2001:2:0:ffff::1]',
  '[2001:3::1]', // multicast tunnels (RFC 7450)
  '[2001:4:112::1]', // AS112 (RFC 7535)
  '[2001:5::1]',
  '[2001:10::1]', // ORCHID (RFC 4843)
  '[2001:20::1]', // ORCHIDv2 (RFC 7343)
  '[2001:30::1]', // drones (RFC 9374)
  '[2001:100::1]',
  '[2001:1ff:ffff:ffff::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[4000::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a00:1::]',
  '[2002:c0a8:1::]',
]

/** Returns every URL that production must refuse because of its address alone. */
export function forbiddenUrls(port: number): string[] {
  return [...loopback, ...special].map((host) => `https://${host}:${port}/hooks`)
}

/** Returns URLs that are invalid in production for other reasons. */
export function malformedUrls(port: number): string[] {
  return [
    `http://127.0.0.1:${port}/`,
    'http://example.com/',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
    `https://example.com@127.0.0.1:${port}/`,
    'https://example.com/#fragment',
    'https://example.com/#',
    'https:///',
    'https://',
    '//example.com/',
    'example.com',
    '/hooks',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://exa mple.com/',
    'https://example.com:99999/',
    'https://999.1.1.1/',
    'https://[::1/',
    'https://[fe80::1%25eth0]/',
  ]
}
