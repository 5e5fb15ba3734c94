import type { ComponentChildren, RefObject } from 'preact'

/** Renders a focusable heading. */
export function Heading({
  children,
  inner,
}: {
  children: ComponentChildren
  inner: RefObject<HTMLHeadingElement | null>
}) {
  return (
    <h2 part="heading" tabIndex={-1} ref={inner}>
      {children}
    </h2>
  )
}
