import { useRef } from 'preact/hooks'
import type { Business } from '../api/api-types.ts'

interface HeaderParts {
  business: Pick<Business, 'name' | 'brand_name' | 'brand_logo_url'> | null
  closeText?: string
  onClose?: (() => void) | undefined
}

/** Renders the brand and the close button of an overlay. Reserves the space until the brand is known. */
export function Header({ business, closeText, onClose }: HeaderParts) {
  const name = business?.brand_name ?? business?.name ?? '\u00a0'
  return (
    <div class="header" part="header">
      {business?.brand_logo_url && <Logo key={business.brand_logo_url} address={business.brand_logo_url} />}
      <bdi class="brand" part="brand">
        {name}
      </bdi>
      {onClose && (
        <button type="button" class="icon-button" part="close" aria-label={closeText} onClick={onClose}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <path d="M5 5l10 10M15 5L5 15" />
          </svg>
        </button>
      )}
    </div>
  )
}

/** Decorative, because the name is next to it. Disappears if it cannot be loaded. */
function Logo({ address }: { address: string }) {
  const image = useRef<HTMLImageElement>(null)
  return (
    <img
      ref={image}
      class="logo"
      part="logo"
      src={new URL(address, import.meta.url).href}
      alt=""
      referrerpolicy="no-referrer"
      onError={() => image.current?.remove()}
    />
  )
}
