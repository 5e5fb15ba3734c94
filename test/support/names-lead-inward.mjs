import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Loaded before a program (`--import`): its resolver knows the names of test/webhooks/inner-network.test.ts and nothing
 * else. Where a name was harmless when it was checked, this is what it leads to at the connection.
 */

const names = {
  'inward.example.com': ['127.0.0.1'],
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'v6.example.com': ['::1'],
  'rebinding.example.com': ['127.0.0.1'],
}

dns.lookup = (hostname, _options, callback) => {
  const addresses = names[hostname]
  if (addresses)
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  else callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
}
syncBuiltinESMExports()
