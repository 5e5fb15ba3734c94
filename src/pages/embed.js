// Shows changes of the options at once, in the lines and the preview. The page works without it.

const pauseMs = 300
const form = document.querySelector('.studio form')
const isColor = (text) => /^#[0-9a-f]{6}$/i.test(text)

if (document.querySelector('#preview')) {
  addPicker(form.elements.namedItem('color'))
  let timer
  form.addEventListener('input', ({ target }) => {
    if (target.name === 'key') return // another business has other choices
    clearTimeout(timer)
    timer = setTimeout(() => void update(), pauseMs)
  })
}

addEventListener('message', ({ origin, data }) => {
  const frame = document.querySelector('#preview iframe')
  if (frame && origin === location.origin && data.type === 'holdfast:height')
    frame.style.height = `${data.height}px`
})

/** Adds a picker to the field for a colour, which may stay empty. */
function addPicker(field) {
  const picker = Object.assign(document.createElement('input'), { type: 'color', ariaLabel: 'Pick a colour' })
  const show = () => {
    picker.value = isColor(field.value) ? field.value : '#1f6f5c'
    field.setCustomValidity(field.value === '' || isColor(field.value) ? '' : 'Write it like #1a2b3c.')
  }
  show()
  field.addEventListener('input', show)
  picker.addEventListener('input', () => {
    field.value = picker.value
    show()
  })
  const row = Object.assign(document.createElement('div'), { className: 'picked' })
  field.before(row)
  row.append(picker, field)
}

let asked = 0

async function update() {
  if (!form.checkValidity()) return
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''))
  const turn = (asked += 1)
  const response = await fetch(`/embed?${query}`).catch(() => undefined)
  if (turn !== asked || !response?.ok) return // a later change, or the button "Update" will do
  const made = new DOMParser().parseFromString(await response.text(), 'text/html')
  history.replaceState(history.state, '', `/embed?${query}`)
  for (const lines of document.querySelectorAll('#lines textarea')) {
    lines.value = made.getElementById(lines.id).value
    document.getElementById(`${lines.id}-copied`).hidden = true
  }
  for (const note of document.querySelectorAll('#needs-frames, #at-corner'))
    note.hidden = made.getElementById(note.id).hidden
  showPreview(document.querySelector('#preview'), made.querySelector('#preview'))
}

/** Keeps the widget if it has the same form, so that it does not begin again. */
function showPreview(now, next) {
  const [shown, wanted] = [now.lastElementChild, next.lastElementChild]
  if (now.dataset.mode !== next.dataset.mode || shown.localName === 'iframe') {
    now.dataset.mode = next.dataset.mode
    if (shown.outerHTML !== wanted.outerHTML) shown.replaceWith(document.importNode(wanted, true))
    return
  }
  for (const name of shown.getAttributeNames())
    if (!wanted.hasAttribute(name) && name !== 'style') shown.removeAttribute(name)
  for (const { name, value } of wanted.attributes)
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  if (shown.textContent !== wanted.textContent) shown.replaceChildren(...wanted.cloneNode(true).childNodes)
}
