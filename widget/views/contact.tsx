import type { Business } from '../api/api-types.ts'

/** Renders a sentence that names the business, followed by its phone number or email address. */
export function Contact({
  text,
  business,
}: {
  text: string
  business: Pick<Business, 'name' | 'brand_name' | 'phone' | 'reply_to_email'>
}) {
  const [before = '', after = ''] = text.split('{name}')
  const { phone, reply_to_email: email } = business
  const links = [
    ...(phone ? [[`tel:${phone.replaceAll(/[^+\d]/g, '')}`, phone] as const] : []),
    ...(email ? [[`mailto:${email}`, email] as const] : []),
  ]
  return (
    <>
      {before}
      <bdi>{business.brand_name ?? business.name}</bdi>
      {after}
      {links.map(([address, shown], index) => (
        <span key={address}>
          {index === 0 ? ' ' : ' · '}
          <a href={address}>
            <bdi>{shown}</bdi>
          </a>
        </span>
      ))}
    </>
  )
}
