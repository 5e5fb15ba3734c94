import { renderSVG } from 'uqr'
import { html, type Html, trusted } from '../../base/html.ts'

/** Light modules around the code, without which many cameras do not find it (ISO/IEC 18004). */
const quietZone = 4

/** A QR code as a file: an SVG image, sharp at every size. */
export function qrCodeFile(text: string): string {
  // 'M' bears a code that is printed badly or partly covered; more would need smaller modules
  return renderSVG(text, { ecc: 'M', border: quietZone, pixelSize: 1 }).replace(
    '<svg ',
    '<svg shape-rendering="crispEdges" ',
  )
}

/** A QR code in a page. `name` says what it is of, to those who do not see it. */
export function qrCode(text: string, name: string): Html {
  const [start = '', ...rest] = qrCodeFile(text).split('<svg ')
  const attributes = html`role="img" aria-label="${name}" class="qr-code"`
  return trusted(`${start}<svg ${attributes.text} ${rest.join('<svg ')}`)
}
