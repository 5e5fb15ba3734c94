/** Limits the work of hashing. NIST SP 800-63B requires at least 64. */
export const maxPasswordLength = 256
export const minPasswordLength = 8

/** Passwords of at least eight characters from the top of lists of leaked ones, in lower case. */
const common = new Set(
  `12345678 123456789 1234567890 12345678910 0123456789 0987654321 987654321 9876543210 87654321 11111111 111111111
  1111111111 00000000 000000000 0000000000 22222222 88888888 99999999 66666666 55555555 77777777 33333333 12341234
  11223344 1122334455 12344321 123123123 123321123 1234qwer 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc
  q1w2e3r4 q1w2e3r4t5 qwer1234 qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui qwertyuiop qwertyuiop123 qazwsxedc
  qweasdzxc asdfasdf asdfghjk asdfghjkl asdf1234 zxcvbnm1 zxcvbnm123 1234abcd abcd1234 abc12345 abc123456 abcdefgh
  abcdefg1 a1b2c3d4 a12345678 a123456789 aa123456 aa12345678 123456aa 123456abc 12345678a 123456789a 1234567a 12345qwert
  12qwaszx zaq12wsx zaq1zaq1 password passwort passw0rd p@ssw0rd p@ssword pa55word password1 password12 password123
  password1234 password! password1! password123! passwort1 passwort123 motdepasse contraseña contrasena senha123
  mypassword newpassword secret123 secretpassword geheim123 geheimnis letmein1 letmein123 welcome1 welcome123
  willkommen willkommen1 changeme changeme1 changeme123 changeit iloveyou iloveyou1 iloveyou2 iloveyou123 loveyou123
  sunshine sunshine1 princess princess1 princess123 football football1 baseball baseball1 basketball superman superman1
  spiderman pokemon1 starwars trustno1 whatever jennifer michelle samantha victoria alexander alexandra christian
  jonathan elizabeth danielle nicole12 computer computer1 internet internet1 samsung1 samsung123 google123 facebook
  linkedin dropbox1 master12 master123 administrator admin123 admin1234 admin12345 administrator1 rootroot root1234
  test1234 testtest test12345 testing123 tester123 default1 guest123 user1234 username login123 monkey123 dragon123
  shadow12 shadow123 michael1 charlie1 hello123 hellohello helloworld liverpool liverpool1 manchester arsenal1 chelsea1
  barcelona realmadrid juventus killer123 freedom1 blink182 butterfly chocolate cheese123 summer123 sommer123 winter123
  summer2024 summer2025 summer2026 winter2025 winter2026 january1 september october1 november december america1
  business1 company1 salon123 holdfast holdfast1 holdfast123 appointment appointments`.split(/\s+/),
)

export type PasswordFault = 'too_short' | 'too_long' | 'own_address' | 'common'

/**
 * Returns the fault of a new password, or undefined if it is acceptable. Follows OWASP ASVS 5 (6.2): a length, no rules
 * on its characters, no common leaked passwords.
 */
export function passwordFault(password: string, { email }: { email: string }): PasswordFault | undefined {
  const length = Array.from(password).length
  if (length < minPasswordLength) return 'too_short'
  if (length > maxPasswordLength) return 'too_long'
  const plain = password.trim().toLowerCase()
  const own = [email, email.split('@', 1)[0] ?? '']
  if (own.includes(plain)) return 'own_address'
  if (common.has(plain) || new Set(plain).size < 3) return 'common'
  return undefined
}
