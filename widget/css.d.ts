/** Styles are imported as text: adopted style sheets pass a strict Content-Security-Policy. */
declare module '*.css' {
  const text: string
  export default text
}
