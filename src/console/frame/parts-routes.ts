import type { FastifyInstance } from 'fastify'
import { html, type Html } from '../../base/html.ts'
import type { Context } from '../../bookings/context.ts'
import { choice, copied, faultSummary, field, type FormState, radios, tick, ticks } from '../../pages/form.ts'
import { icon } from '../../pages/icons.ts'
import type { ConsoleVisit } from './console-page.ts'
import { consoleRoutes } from './console-route.ts'
import { emptyState } from './empty-state.ts'
import { face } from './faces.ts'

/*
 * The parts of every page in all their states, for people who change the design. Production lacks the page. The parts are those of page.css and console.css; their texts are examples.
 */

/** Registers the page of all parts. */
export function partsRoutes(app: FastifyInstance, context: Context): void {
  if (context.config.environment === 'production') return
  consoleRoutes(app, context, [
    {
      path: '/console/parts',
      name: 'PartsPage',
      summary: 'All parts of the design in their states',
      role: 'staff',
      withoutBusiness: true,
      show: (visit) => Promise.resolve({ title: 'Parts', body: partsPage(visit) }),
    },
  ])
}

function partsPage(visit: ConsoleVisit): Html {
  return html`<header class="head">
      <h1>Parts</h1>
      <a class="button main" href="#forms">${icon('add')} The main button</a>
    </header>
    <p class="soft">Every part in every state. Look at it on a phone, in the dark, and by keyboard.</p>
    ${section('Colours', colours())} ${section('Text', texts())} ${section('Buttons', buttons())}
    ${section('Statuses', statuses(visit))} ${section('Faces and icons', faces())}
    ${section('Messages', messages())} ${section('Lists', lists())} ${section('Menus', menus())}
    <h2 id="forms">Forms</h2>
    ${form()}`
}

const section = (title: string, content: Html) =>
  html`<h2>${title}</h2>
    ${content}`

const tokens = [
  ...['accent', 'accent-soft', 'ground', 'paper', 'shade', 'line', 'edge', 'ink', 'soft'],
  ...['warn', 'warn-soft', 'fault', 'fault-soft'],
]

function colours(): Html {
  return html`<dl>
    ${tokens.map(
      (name) =>
        html`<dt>${name}</dt>
          <dd>
            <svg width="160" height="24"><rect width="160" height="24" fill="var(--${name})" /></svg>
          </dd>`,
    )}
  </dl>`
}

function texts(): Html {
  return html`<h3>A heading of the third level</h3>
    <p>A sentence with <a href="#forms">a link</a>, <code>code</code> and <strong>weight</strong>.</p>
    <p class="soft">A sentence that matters less.</p>
    <dl class="facts">
      <dt>When</dt>
      <dd>Monday 30 November, 10:00–12:15</dd>
      <dt>Where</dt>
      <dd>Mitte</dd>
    </dl>
    <div class="card">
      <h3>A card</h3>
      <p>Its text.</p>
    </div>`
}

function buttons(): Html {
  const kinds = ['', 'main', 'danger', 'danger main']
  return html`<div class="buttons">
      ${kinds.map((kind) => html`<button type="button" class="button ${kind}">Save</button>`)}
    </div>
    <div class="buttons">
      ${kinds.map((kind) => html`<button type="button" class="button ${kind}" disabled>Disabled</button>`)}
    </div>
    <div class="buttons">
      <a class="button main" href="#forms">${icon('add')} With an icon</a>
      <a class="button" href="#forms">${icon('move')} Move</a>
      <a class="back" href="#forms">Back</a>
    </div>`
}

function statuses({ texts: { booking } }: ConsoleVisit): Html {
  return html`<p class="buttons">
    ${Object.entries(booking.status).map(
      ([status, word]) => html`<span class="state is-${status}">${icon('done')} ${word}</span>`,
    )}
    <span class="state is-absent">${icon('absent')} ${booking.noShow}</span>
  </p>`
}

function faces(): Html {
  const names = ['Ada Lovelace', 'Bo', 'Cleo Dubois', 'Dina', 'Ernst-August von Hohenheim', 'ليلى الفهد']
  return html`<p class="buttons">${names.map((name) => face(name))}</p>
    <p class="buttons">
      ${(['calendar', 'phone', 'mails', 'money', 'waiting', 'warning'] as const).map((name) => icon(name))}
    </p>`
}

function messages(): Html {
  return html`<p class="notice" role="status">Saved.</p>
    <p class="alert">Clients cannot book online: the booking page is closed.</p>
    ${faultSummary({ typed: {}, faults: { '': 'Somebody just took that time.' } }, faultTexts)}
    ${emptyState(
      'calendar',
      'No bookings yet. Share your booking page, or enter one.',
      html`<a class="button main" href="#forms">${icon('add')} New booking</a>`,
    )}`
}

const faultTexts = {
  notSaved: 'Nothing was saved.',
  checkMarked: 'Check the marked fields.',
  fault: (code: string) => code,
  problem: (code: string) => code,
}

function lists(): Html {
  const people = ['Anna Weber', 'Ben Fischer', 'Karl-Theodor von und zu Langenfeld-Hohenstein']
  return html`<ul class="rows">
    ${people.map(
      (name) =>
        html`<li class="item">
          ${face(name)}<a href="#forms"><bdi>${name}</bdi></a> <span class="soft">9:00–17:00</span>
          <span class="end">€35</span>
        </li>`,
    )}
  </ul>`
}

function menus(): Html {
  return html`<details class="menu">
    <summary>${face('Ada Lovelace')} A menu ${icon('expand')}</summary>
    <ul>
      <li><a href="#forms">A link</a></li>
      <li><button type="button">A button</button></li>
    </ul>
  </details>`
}

function form(): Html {
  const state: FormState = {
    typed: { name: 'Haircut', wrong: 'abc', kind: 'class', days: 'on', note: 'Two\nlines' },
    faults: { wrong: 'Enter a number of minutes, such as 30.' },
  }
  const kinds = [
    ['single', 'One client'],
    ['class', 'Several clients at once'],
  ] as const
  return html`<form class="fields wide-fields">
    <fieldset>
      <legend>A section</legend>
      ${field(state, { name: 'name', label: 'Name', required: true })}
      ${field(state, { name: 'wrong', label: 'Duration', unit: 'minutes', type: 'number', hint: 'A hint.' })}
      ${field(state, { name: 'fixed', label: 'Cannot be changed', isReadOnly: true })}
      ${field(state, { name: 'note', label: 'Several lines', rows: 3 })}
      ${choice(state, { name: 'kind', label: 'A choice', options: [...kinds] })}
      ${field(state, { name: 'day', label: 'A date', type: 'date' })}
      ${field(state, { name: 'time', label: 'A time', type: 'time' })}
      ${field(state, { name: 'colour', label: 'A colour', type: 'color' })}
      ${radios(state, { name: 'kind', label: 'All choices visible', options: [...kinds] })}
      ${ticks(state, { name: 'ticks', label: 'Boxes', boxes: [tick(state, 'days', 'Ticked'), tick(state, 'off', 'Not ticked')] })}
    </fieldset>
    <details>
      <summary>More</summary>
      <div>${field(state, { name: 'rare', label: 'A rare field' })}</div>
    </details>
    ${copied({ copy: 'Copy', copied: 'Copied.' }, { name: 'link', label: 'A link to copy', text: 'https://example.com/book', rows: 1 })}
    <div class="save"><button type="button" class="main">Save</button></div>
  </form>`
}
