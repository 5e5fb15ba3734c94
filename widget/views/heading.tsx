import type { ComponentChildren, RefObject } from 'preact'

/** A heading that can be given the focus. */
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
