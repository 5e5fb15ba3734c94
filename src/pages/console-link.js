// The token stays in the fragment until the form is sent: no server, proxy or log sees it before.
const field = document.querySelector('#token')
const token = location.hash.slice(1)
if (field instanceof HTMLInputElement && (token !== '' || field.value !== '')) {
  if (token !== '') field.value = token
  field.closest('[data-without-script]')?.setAttribute('hidden', '')
  // so that it is not in the history of the browser
  history.replaceState(null, '', location.pathname)
}
