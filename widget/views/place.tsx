import type { Location } from '../api/api-types.ts'
import type { Texts } from '../texts.ts'

/**
 * Renders name and address of a location or online meeting. Adds links unless the appointment is cancelled.
 */
export function Place({
  location: { name, address, online_url },
  texts,
  hasLinks,
}: {
  location: Pick<Location, 'name' | 'address' | 'online_url'>
  texts: Pick<Texts, 'map' | 'online'>
  hasLinks: boolean
}) {
  const links = [
    [address && `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`, texts.map],
    [online_url, texts.online],
  ] as const
  return (
    <>
      <bdi>{[name, address].filter(Boolean).join(', ')}</bdi>
      {hasLinks &&
        links.map(
          ([url, text]) =>
            url && (
              <span key={text} class="place-link">
                {' '}
                <a href={url} target="_blank" rel="noopener noreferrer">
                  {text}
                </a>
              </span>
            ),
        )}
    </>
  )
}
