// The API reference: Swagger UI from this server, over the document of this server, in the colours of the device.

const dark = matchMedia('(prefers-color-scheme: dark)')

function followColours() {
  document.documentElement.classList.toggle('dark-mode', dark.matches)
}

followColours()
dark.addEventListener('change', followColours)

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#main',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  // it would ask a server on the internet
  validatorUrl: null,
})
