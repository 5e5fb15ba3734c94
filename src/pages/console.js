// enhancements of console pages; the pages work without them

const openMenus = 'details.menu[open]'
const whens = '[type=date], [type=time]'
const formats = {}
const wordParts = {
  date: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
}
const whenIdle = globalThis.requestIdleCallback ?? setTimeout // the first format takes long

enhance(document)
addEventListener('input', ({ target }) => target.matches(whens) && showInWords(target))
addEventListener('turbo:frame-load', ({ target }) => enhance(target)) // in the panel next to the calendar
addEventListener('click', ({ target }) => closeMenus((menu) => !menu.contains(target)))
addEventListener('keydown', closeOnEscape, { capture: true }) // before the panel around a menu

function enhance(root) {
  for (const button of root.querySelectorAll('[data-print]')) {
    button.hidden = false
    button.addEventListener('click', () => window.print())
  }

  for (const field of root.querySelectorAll('[data-guess-zone] select')) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    if (!zone) continue
    field.value = zone
    if (field.value !== zone) field.add(new Option(zone, zone, true, true)) // an older name of the zone
  }

  for (const line of root.querySelectorAll('[data-seats]')) {
    const { form } = line.closest('details').querySelector('[name=capacity]')
    form.addEventListener('input', () => {
      const people = form.querySelectorAll('[name^="staff_ids."]:checked').length
      const places = Number(form.elements.namedItem('capacity').value)
      const { none, one, many } = line.dataset
      line.hidden = !(places > 1)
      form.querySelector('[data-each]').hidden = !(places > 1 && people > 1)
      line.textContent = [none, one, many][Math.min(people, 2)]
        .replace('{people}', people)
        .replace('{places}', places)
        .replace('{all}', people * places)
    })
  }

  // fields of another choice of payment are hidden, and sent empty
  for (const part of root.querySelectorAll('[data-payment]')) {
    const form = part.closest('form')
    const show = () => {
      const fits = part.dataset.payment.includes(form.elements.namedItem('payment').value)
      part.hidden = !fits && !part.querySelector('[aria-invalid]')
    }
    show()
    form.addEventListener('change', show)
    form.addEventListener('submit', () => {
      if (part.hidden) for (const input of part.querySelectorAll('input')) input.value = ''
    })
  }

  // the duration is the sum of the steps
  for (const steps of root.querySelectorAll('[data-steps]')) {
    const duration = steps.form.elements.namedItem('duration_minutes')
    steps.addEventListener('input', () => {
      const minutes = [...steps.querySelectorAll('input')].map(({ value }) => value.trim())
      duration.readOnly = minutes.some((one) => one !== '')
      if (duration.readOnly) duration.value = minutes.reduce((sum, one) => sum + (Number(one) || 0), 0)
    })
  }

  // proposes the team member with the name of a new user
  for (const form of root.querySelectorAll('[data-namesake]')) {
    const { name, staff_id: member } = form.elements
    name.addEventListener('input', () => {
      const typed = name.value.trim().toLocaleLowerCase()
      const same = [...(member?.options ?? [])].filter(({ text }) =>
        `${text.toLocaleLowerCase()} `.startsWith(`${typed} `),
      )
      if (typed !== '' && same.length === 1) member.value = same[0].value
    })
  }

  for (const when of root.querySelectorAll(whens)) {
    if (when.closest('[popover]')) whenIdle(() => showInWords(when))
    else showInWords(when)
  }

  for (const rows of root.querySelectorAll('[data-rows]')) addRows(rows)
  for (const grip of root.querySelectorAll('[data-grip]')) drag(grip)
  for (const week of root.querySelectorAll('[data-week]')) copyDays(week)

  for (const form of root.querySelectorAll('[data-apply]')) {
    for (const choice of form.querySelectorAll('select'))
      choice.addEventListener('change', () => form.requestSubmit())
    for (const button of form.querySelectorAll('button:not(.main)')) button.hidden = true
  }

  for (const part of root.querySelectorAll('[data-picture]'))
    void import('./console-picture.js').then(({ pictureField }) => pictureField(part))

  for (const part of root.querySelectorAll('[data-look-up]')) lookUp(part)
  for (const form of root.querySelectorAll('form:has([data-fresh])')) keepFresh(form)

  for (const button of root.querySelectorAll('[data-copy]')) {
    const { copy } = button.dataset
    const field = document.getElementById(copy)
    field.addEventListener('focus', () => field.select())
    button.hidden = false
    button.addEventListener('click', async () => {
      field.focus()
      try {
        await navigator.clipboard.writeText(field.value)
        document.getElementById(`${copy}-copied`).hidden = false
      } catch {
        field.select() // the browser denies clipboard access: select the text for copying by hand
      }
    })
  }
}

function closeMenus(isLeft) {
  for (const menu of document.querySelectorAll(openMenus)) if (isLeft(menu)) menu.open = false
}

// menus close like popovers, and give the focus back
function closeOnEscape(event) {
  const menu = event.key === 'Escape' && document.querySelector(openMenus)
  if (!menu) return
  event.preventDefault()
  if (menu.contains(document.activeElement)) menu.querySelector('summary').focus()
  menu.open = false
}

// browsers show a date in their own language: styles show it in that of the page, except while it is edited
function showInWords(when) {
  const { lang } = document.documentElement
  const { type, value } = when
  const ms = Date.parse(type === 'date' ? value : `2024-01-01T${value}Z`)
  formats[type] ??= new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, {
    ...wordParts[type],
    timeZone: 'UTC',
  })
  when.dataset.words = Number.isNaN(ms) ? '' : formats[type].format(ms)
}

// a button shows the next free row of a form, or a copy of the last one
function addRows(rows) {
  const button = rows.querySelector('[data-add]')
  const all = () => [...rows.querySelectorAll('[data-row]')]
  const isEmpty = (row) =>
    [...row.querySelectorAll('input, textarea')].every(
      ({ value, type }) => value === '' || type === 'checkbox',
    )
  for (const row of all()) row.hidden = 'free' in row.dataset && isEmpty(row)
  button.hidden = false
  button.addEventListener('click', () => {
    const row = all().find(({ hidden }) => hidden) ?? copyOf(all().at(-1))
    row.hidden = false
    row.querySelector('input:not([type=hidden])').focus()
  })
}

function copyOf(row) {
  const number = Number(row.dataset.row)
  const copy = row.cloneNode(true)
  for (const part of copy.querySelectorAll('*')) {
    for (const { name, value } of [...part.attributes])
      part.setAttribute(
        name,
        name.startsWith('aria')
          ? value.replace(number + 1, number + 2)
          : value.replace(`.${number}.`, `.${number + 1}.`),
      )
    if (part.matches('[data-number]')) part.textContent = part.textContent.replace(number + 1, number + 2)
    if (part.matches('input, textarea')) part.removeAttribute('aria-invalid')
    if (part.matches('input, textarea') && part.type !== 'checkbox') part.value = ''
    if (part.matches(whens)) showInWords(part)
    part.checked = false
  }
  copy.dataset.row = number + 1
  row.after(copy)
  return copy
}

// the hours of a day for all open days, and for a day that opens
function copyDays(week) {
  const isOpen = (day) => day.querySelector('.switch').checked
  const timesOf = (day) => [...day.querySelectorAll('[type=time]')]
  const copy = (from, day) => {
    const times = timesOf(from).map(({ value }) => value)
    while (timesOf(day).length < times.length) day.querySelector('[data-add]').click()
    timesOf(day).forEach((time, index) => {
      time.value = times[index] ?? ''
      showInWords(time)
      time.closest('[data-row]').hidden = index > 1 && time.value === ''
    })
  }
  const same = week.querySelector('[data-plain]')
  const status = week.querySelector('[data-copied]')
  same.hidden = true
  same.querySelector('input').checked = false
  const days = [...week.querySelectorAll('.day')]
  for (const day of days) {
    const button = day.querySelector('[data-copy-day]')
    button.hidden = false
    button.addEventListener('click', () => {
      for (const other of days) if (other !== day && isOpen(other)) copy(day, other)
      status.hidden = false
      button.focus()
    })
    day.querySelector('.switch').addEventListener('change', () => {
      const from = days.find((other) => other !== day && isOpen(other))
      if (from && timesOf(day).every(({ value }) => value === '')) copy(from, day)
    })
  }
}

// a row goes where its grip is dragged, within its list
function drag(grip) {
  const row = grip.closest('li')
  const list = row.parentElement
  grip.hidden = false
  grip.addEventListener('click', (event) => event.preventDefault())
  grip.addEventListener('pointerdown', (event) => {
    const next = row.nextElementSibling
    event.preventDefault()
    row.classList.add('is-dragged')
    const follow = ({ clientY }) => {
      const others = [...list.children].filter((other) => other !== row && other.querySelector('[data-grip]'))
      const after = others.find((other) => {
        const { top, height } = other.getBoundingClientRect()
        return clientY < top + height / 2
      })
      const before = after ?? others.at(-1)?.nextElementSibling ?? null
      if (before !== row && before !== row.nextElementSibling) list.insertBefore(row, before)
    }
    const end = ({ type }) => {
      removeEventListener('pointermove', follow)
      removeEventListener('pointerup', end)
      removeEventListener('pointercancel', end)
      row.classList.remove('is-dragged')
      if (type === 'pointercancel') list.insertBefore(row, next)
      if (row.nextElementSibling === next) return
      const form = document.getElementById('order')
      form.elements.namedItem('move').value =
        `${row.dataset.id}:before:${row.nextElementSibling?.dataset.id ?? ''}`
      form.requestSubmit()
    }
    // on the window, because a row that moves in the document would lose the pointer
    addEventListener('pointermove', follow)
    addEventListener('pointerup', end)
    addEventListener('pointercancel', end)
  })
}

// replaces parts of a form by those that one of its buttons would show
async function refresh(form, button, parts, signal) {
  const body = new URLSearchParams(new FormData(form))
  body.set(button.name, button.value)
  try {
    const reply = await fetch(form.action, { method: 'POST', body, signal })
    if (!reply.ok) return // the button still shows the error
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
    const news = [...page.querySelectorAll(parts)]
    for (const [index, part] of form.querySelectorAll(parts).entries())
      part.replaceChildren(...(news[index]?.childNodes ?? []))
  } catch {
    // superseded by later input, or offline
  }
}

// suggests earlier clients while typing
const pauseMs = 250
const least = 3

function lookUp(part) {
  const search = part.querySelector('input')
  let timer
  let asked
  const find = () => {
    clearTimeout(timer)
    asked?.abort()
    if (search.value.trim().length < least) return part.querySelector('[role=status]').replaceChildren()
    asked = new AbortController()
    void refresh(search.form, { name: 'do', value: 'find' }, '[data-look-up] > [role=status]', asked.signal)
  }
  search.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(find, pauseMs)
  })
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault() // it would submit the booking
    find()
  })
}

// free times, end and total follow the choices
function keepFresh(form) {
  let asked
  form.addEventListener('change', ({ target }) => {
    if (!/^(?:date|time|minutes|location|party_size|(?:who|with|party)(?:-\d+)?)$/.test(target.name)) return
    asked?.abort()
    asked = new AbortController()
    void refresh(form, { name: 'do', value: 'times' }, '[data-fresh]', asked.signal)
  })
  form.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-fresh] :is([name=day], [name=month])')
    if (!button) return
    event.preventDefault()
    asked?.abort()
    asked = new AbortController()
    const { name, value, id } = button
    form.elements.namedItem('date').value = value
    showInWords(form.elements.namedItem('date'))
    await refresh(form, { name, value }, '[data-fresh]', asked.signal)
    const again = id === '' ? undefined : form.querySelector(`#${id}:enabled`)
    ;(again ?? form.querySelector('[data-fresh] [aria-current]'))?.focus()
  })
}
