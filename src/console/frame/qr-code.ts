import { renderSVG } from 'uqr'
import { html, type Html, trusted } from '../../base/html.ts'

/** Light modules around the code. Many cameras need them to find it (ISO/IEC 18004). */
const quietZone = 4

/** Returns a QR code as a file: an SVG image, sharp at every size. */
export function qrCodeFile(text: string): string {
  // 'M' tolerates bad printing and partial covering; a higher level would need smaller modules
  return renderSVG(text, { ecc: 'M', border: quietZone, pixelSize: 1 }).replace(
    '<svg ',
    '<svg shape-rendering="crispEdges" ',
  )
}

/** Renders a QR code in a page. `name` is its description for screen readers. */
export function qrCode(text: string, name: string): Html {
  const [start = '', ...rest] = qrCodeFile(text).split('<svg ')
  const attributes = html`role="img" aria-label="${name}" class="qr-code"`
  return trusted(`${start}<svg ${attributes.text} ${rest.join('<svg ')}`)
}
