// The token stays in the fragment until the form is sent. No server, proxy or log sees it earlier.
const field = document.querySelector('#token')
const token = location.hash.slice(1)
if (field instanceof HTMLInputElement && (token !== '' || field.value !== '')) {
  if (token !== '') field.value = token
  field.closest('[data-without-script]')?.setAttribute('hidden', '')
  // keeps the token out of the browser's history
  history.replaceState(null, '', location.pathname)
}
