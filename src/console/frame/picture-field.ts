import { html } from '../../base/html.ts'
import { field } from '../../pages/form.ts'
import { type Codec, optional } from './form-rows.ts'
import type { ConsoleTexts } from './texts.ts'

/** The frame of a picture: its proportions, and its size in pixels after the upload. */
const frames = {
  face: { width: 512, height: 512 },
  /** May leave room around it. */
  logo: { width: 512, height: 512 },
  service: { width: 1_200, height: 900 },
  cover: { width: 1_920, height: 600 },
} as const

/** Returns the codec of a picture: an address, and a script that crops and uploads a file. */
export function picture(kind: keyof typeof frames, { picture: words }: ConsoleTexts): Codec {
  const { choose, replace, remove, storing, stored, notPicture, failed } = words
  const { crop, frame, hint, zoom, use, cancel } = words
  const ofScript = {
    ...{ choose, replace, remove, storing, stored, notPicture, failed },
    ...{ crop, frame, hint, zoom, use, cancel },
  }
  const codec = optional({ max: 2_048 })
  const { width, height } = frames[kind]
  return {
    ...codec,
    input: (state, labelled) =>
      html`<div
        class="picture"
        data-picture="${kind}"
        data-width="${width}"
        data-height="${height}"
        data-words="${JSON.stringify(ofScript)}"
      >
        ${field(state, { max: 2_048, ...labelled })}
      </div>`,
  }
}
