/* Modules created by the build (build.ts). */

/** Styles as text, because adopted style sheets pass a strict Content-Security-Policy. */
declare module '*.css' {
  const text: string
  export default text
}

/** Loads each language. */
declare module 'texts:languages' {
  export const languages: Partial<Record<string, () => Promise<{ texts: import('./texts.ts').Texts }>>>
}

/** The texts of a language, such as `texts:en`. */
declare module 'texts:*' {
  export const texts: import('./texts.ts').Texts
}

/** The parts of Turbo that the panel uses. The package has no types. */
declare module '@hotwired/turbo' {
  interface Stoppable {
    stop: () => void
  }
  /** The element `turbo-frame`. */
  export interface FrameElement extends HTMLElement {
    src: string | null
    reload: () => Promise<void>
  }
  export const session: { drive: boolean; history: Stoppable; linkPrefetchObserver: Stoppable }
}
