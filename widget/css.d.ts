/** Styles come as text: a shadow root adopts them, which a strict Content-Security-Policy allows. */
declare module '*.css' {
  const text: string
  export default text
}
