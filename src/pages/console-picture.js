// uploads the picture of a form: choose, crop, shrink, store. Without it, the form has the field for an address

/** Bytes that the API accepts. */
const maxBytes = 512 * 1024
/** Longer side of the frame on the screen, in pixels. */
const shownSide = 480
const maxZoom = 4
const keyStep = 12

export function pictureField(part) {
  const words = JSON.parse(part.dataset.words)
  const address = part.querySelector('input')
  const hint = document.getElementById(`${address.id}-hint`)
  const preview = Object.assign(document.createElement('img'), { className: 'picture-now', alt: '' })
  const file = Object.assign(document.createElement('input'), { type: 'file', hidden: true })
  file.accept = 'image/jpeg,image/png,image/webp,image/avif,image/heic'
  const choose = buttonOf(words.choose)
  const remove = buttonOf(words.remove)
  const said = Object.assign(document.createElement('p'), { role: 'status', className: 'soft' })
  const row = Object.assign(document.createElement('div'), { className: 'picture-row' })
  row.append(preview, choose, remove, file)
  address.before(row)
  row.after(said)
  const show = () => {
    // the page may load pictures of this server only
    preview.hidden = !address.value.startsWith('/')
    if (!preview.hidden) preview.src = address.value
    // only the address of a picture elsewhere says something to people
    for (const one of [address, hint]) if (one) one.hidden = !preview.hidden || address.value === ''
    remove.hidden = address.value === ''
    choose.textContent = address.value === '' ? words.choose : words.replace
  }
  const set = (url) => {
    address.value = url
    address.dispatchEvent(new Event('input', { bubbles: true }))
    show()
  }
  choose.addEventListener('click', () => file.click())
  remove.addEventListener('click', () => {
    set('')
    choose.focus()
  })
  address.addEventListener('change', show)
  file.addEventListener('change', async () => {
    const [chosen] = file.files
    file.value = ''
    if (!chosen) return
    said.textContent = ''
    const image = await createImageBitmap(chosen).catch(() => null)
    if (!image) {
      said.textContent = words.notPicture
      return
    }
    const cropped = await crop(image, part.dataset, words)
    choose.focus()
    if (!cropped) return
    said.textContent = words.storing
    const url = await store(cropped, address.form.elements.namedItem('at_business')?.value)
    said.textContent = url ? words.stored : words.failed
    if (url) set(url)
  })
  show()
}

function buttonOf(text) {
  return Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'button',
    textContent: text,
  })
}

async function store(blob, business) {
  try {
    const query = business ? `?${new URLSearchParams({ business_id: business })}` : ''
    const reply = await fetch(`/api/v1/images${query}`, {
      method: 'POST',
      headers: { 'content-type': blob.type },
      body: blob,
    })
    return reply.ok ? (await reply.json()).url : undefined
  } catch {
    return undefined // offline
  }
}

/** Asks for the part of a picture to show. Resolves to a file, or undefined if the person closes the dialog. */
function crop(image, { picture: kind, width: wide, height: high }, words) {
  const [width, height] = [Number(wide), Number(high)]
  const scale = shownSide / Math.max(width, height)
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  canvas.tabIndex = 0
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', words.frame)
  canvas.style.aspectRatio = `${width} / ${height}`
  canvas.style.width = `${width * scale}px`
  // a logo may be smaller than its frame; other pictures fill it
  const fits = [width / image.width, height / image.height]
  const least = kind === 'logo' ? Math.min(...fits) : Math.max(...fits)
  const zoom = Object.assign(document.createElement('input'), {
    type: 'range',
    min: 1,
    max: maxZoom,
    step: 0.01,
  })
  zoom.value = 1
  let [left, top] = [0, 0]
  const factor = () => least * Number(zoom.value)
  const draw = () => {
    const [w, h] = [image.width * factor(), image.height * factor()]
    left = within(left, width - w)
    top = within(top, height - h)
    const context = canvas.getContext('2d')
    context.clearRect(0, 0, width, height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, left, top, w, h)
  }
  const centre = () => {
    left = (width - image.width * factor()) / 2
    top = (height - image.height * factor()) / 2
    draw()
  }
  const zoomTo = (value) => {
    const before = factor()
    zoom.value = value
    const by = factor() / before // the middle of the frame stays
    left = width / 2 - (width / 2 - left) * by
    top = height / 2 - (height / 2 - top) * by
    draw()
  }
  let last = Number(zoom.value)
  zoom.addEventListener('input', () => {
    const wanted = Number(zoom.value)
    zoom.value = last
    zoomTo(wanted)
    last = wanted
  })
  const move = (x, y) => {
    left += x
    top += y
    draw()
  }
  const dragged = new Map()
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId)
    dragged.set(event.pointerId, event)
  })
  canvas.addEventListener('pointermove', (event) => {
    const from = dragged.get(event.pointerId)
    if (!from) return
    const perPixel = width / canvas.clientWidth
    const [other] = [...dragged.values()].filter(({ pointerId }) => pointerId !== event.pointerId)
    if (other) {
      // two fingers
      const distance = ({ clientX, clientY }) => Math.hypot(clientX - other.clientX, clientY - other.clientY)
      zoomTo((Number(zoom.value) * distance(event)) / Math.max(distance(from), 1))
      last = Number(zoom.value)
    } else move((event.clientX - from.clientX) * perPixel, (event.clientY - from.clientY) * perPixel)
    dragged.set(event.pointerId, event)
  })
  for (const type of ['pointerup', 'pointercancel'])
    canvas.addEventListener(type, ({ pointerId }) => dragged.delete(pointerId))
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault()
      zoomTo(Number(zoom.value) * (event.deltaY < 0 ? 1.05 : 0.95))
      last = Number(zoom.value)
    },
    { passive: false },
  )
  canvas.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (!step) return
    event.preventDefault()
    move(step[0] * keyStep, step[1] * keyStep)
  })
  const dialog = Object.assign(document.createElement('dialog'), { className: 'crop' })
  const title = Object.assign(document.createElement('h2'), { textContent: words.crop })
  const label = document.createElement('label')
  label.append(words.zoom, zoom)
  const hint = Object.assign(document.createElement('p'), { className: 'soft', textContent: words.hint })
  const use = buttonOf(words.use)
  use.classList.add('main')
  const cancel = buttonOf(words.cancel)
  const buttons = Object.assign(document.createElement('div'), { className: 'actions' })
  buttons.append(use, cancel)
  dialog.append(title, hint, canvas, label, buttons)
  dialog.setAttribute('aria-label', words.crop)
  document.body.append(dialog)
  dialog.showModal()
  centre()
  canvas.focus()
  return new Promise((resolve) => {
    let file
    dialog.addEventListener('close', () => {
      dialog.remove()
      image.close()
      resolve(file)
    })
    cancel.addEventListener('click', () => dialog.close())
    use.addEventListener('click', async () => {
      use.disabled = true
      file = await fileOf(canvas, kind === 'logo')
      dialog.close()
    })
  })
}

/** Keeps a side of the picture within the frame, or the frame within the picture. */
function within(at, room) {
  return Math.min(Math.max(at, Math.min(room, 0)), Math.max(room, 0))
}

/** Encodes as WebP, or as JPEG in browsers that cannot. A logo then becomes a PNG, to keep its transparent parts. */
async function fileOf(canvas, isTransparent) {
  const encode = (type, quality) => new Promise((resolve) => canvas.toBlob(resolve, type, quality))
  for (const quality of [0.86, 0.75, 0.6, 0.45]) {
    let blob = await encode('image/webp', quality)
    if (blob?.type !== 'image/webp') blob = await encode(isTransparent ? 'image/png' : 'image/jpeg', quality)
    if (blob && blob.size <= maxBytes) return blob
  }
  return undefined
}
