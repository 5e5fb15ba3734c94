import { html, type Html } from '../base/html.ts'

/* Drawings of lucide-static 1.62.0 (ISC licence, © Lucide Icons and Contributors), 24 by 24 units. */

const drawings = {
  offline: html`<path d="M12 20h.01" /><path d="M8.5 16.429a5 5 0 0 1 7 0" /><path
      d="M5 12.859a10 10 0 0 1 5.17-2.69"
    /><path d="M19 12.859a10 10 0 0 0-2.007-1.523" /><path d="M2 8.82a15 15 0 0 1 4.177-2.643" /><path
      d="M22 8.82a15 15 0 0 0-11.288-3.764"
    /><path d="m2 2 20 20" />`,
  calendar: html`<path d="M8 2v3" /><path d="M16 2v3" /><rect
      x="3"
      y="3"
      width="18"
      height="18"
      rx="2"
    /><path d="M3 9h18" />`,
  bookings: html`<path d="M3 5h.01" /><path d="M3 12h.01" /><path d="M3 19h.01" /><path d="M8 5h13" /><path
      d="M8 12h13"
    /><path d="M8 19h13" />`,
  clients: html`<circle cx="12" cy="8" r="5" /><path d="M20 21a8 8 0 0 0-16 0" />`,
  services: html`<circle cx="6" cy="6" r="3" /><path d="M8.12 8.12 12 12" /><path
      d="M20 4 8.12 15.88"
    /><circle cx="6" cy="18" r="3" /><path d="M14.8 14.8 20 20" />`,
  people: html`<path d="M18 21a8 8 0 0 0-16 0" /><circle cx="10" cy="8" r="5" /><path
      d="M22 20c0-3.37-2-6.5-4-8a5 5 0 0 0-.45-8.3"
    />`,
  resources: html`<path d="M10 21H2" /><path d="M10 3H7a2 2 0 00-2 2v16" /><path d="M14 12h.01" /><path
      d="M19 21V5a2 2 0 00-1.675-1.974l-6.163-1.013A1 1 0 0010 3v18a1 1 0 001.124.992z"
    /><path d="M22 21h-3" />`,
  website: html`<circle cx="12" cy="12" r="10" /><path
      d="M12 2a14.5 14.5 0 0 0 0 20 14.5 14.5 0 0 0 0-20"
    /><path d="M2 12h20" />`,
  mails: html`<path d="m22 7-8.991 5.727a2 2 0 0 1-2.009 0L2 7" /><rect
      x="2"
      y="4"
      width="20"
      height="16"
      rx="2"
    />`,
  payments: html`<rect width="20" height="14" x="2" y="5" rx="2" /><path d="M2 10h20" />`,
  numbers: html`<path d="M3 3v16a2 2 0 0 0 2 2h16" /><path d="M18 17V9" /><path d="M13 17V5" /><path
      d="M8 17v-3"
    />`,
  developers: html`<path d="m16 18 6-6-6-6" /><path d="m8 6-6 6 6 6" />`,
  settings: html`<path
      d="M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915"
    /><circle cx="12" cy="12" r="3" />`,
  copied: html`<rect width="14" height="14" x="8" y="8" rx="2" ry="2" /><path
      d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2"
    />`,
  grip: html`<circle cx="9" cy="12" r="1" /><circle cx="9" cy="5" r="1" /><circle
      cx="9"
      cy="19"
      r="1"
    /><circle cx="15" cy="12" r="1" /><circle cx="15" cy="5" r="1" /><circle cx="15" cy="19" r="1" />`,
  add: html`<path d="M5 12h14" /><path d="M12 5v14" />`,
  search: html`<path d="m21 21-4.34-4.34" /><circle cx="11" cy="11" r="8" />`,
  message: html`<path
    d="M22 17a2 2 0 0 1-2 2H6.828a2 2 0 0 0-1.414.586l-2.202 2.202A.71.71 0 0 1 2 21.286V5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2z"
  />`,
  phone: html`<path
    d="M13.832 16.568a1 1 0 0 0 1.213-.303l.355-.465A2 2 0 0 1 17 15h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2A18 18 0 0 1 2 4a2 2 0 0 1 2-2h3a2 2 0 0 1 2 2v3a2 2 0 0 1-.8 1.6l-.468.351a1 1 0 0 0-.292 1.233 14 14 0 0 0 6.392 6.384"
  />`,
  more: html`<circle cx="12" cy="12" r="1" /><circle cx="19" cy="12" r="1" /><circle cx="5" cy="12" r="1" />`,
  today: html`<circle cx="12" cy="12" r="4" /><path d="M12 2v2" /><path d="M12 20v2" /><path
      d="m4.93 4.93 1.41 1.41"
    /><path d="m17.66 17.66 1.41 1.41" /><path d="M2 12h2" /><path d="M20 12h2" /><path
      d="m6.34 17.66-1.41 1.41"
    /><path d="m19.07 4.93-1.41 1.41" />`,
  expand: html`<path d="m6 9 6 6 6-6" />`,
  previous: html`<path d="m15 18-6-6 6-6" />`,
  next: html`<path d="m9 18 6-6-6-6" />`,
  done: html`<path d="M20 6 9 17l-5-5" />`,
  waiting: html`<circle cx="12" cy="12" r="10" /><path d="M12 6v6l4 2" />`,
  warning: html`<path d="m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3" /><path
      d="M12 9v4"
    /><path d="M12 17h.01" />`,
  cancelled: html`<path d="M18 6 6 18" /><path d="m6 6 12 12" />`,
  absent: html`<path d="M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2" /><circle cx="9" cy="7" r="4" /><line
      x1="17"
      x2="22"
      y1="8"
      y2="13"
    /><line x1="22" x2="17" y1="8" y2="13" />`,
  money: html`<rect width="20" height="12" x="2" y="6" rx="2" /><circle cx="12" cy="12" r="2" /><path
      d="M6 12h.01M18 12h.01"
    />`,
  move: html`<path d="M12 2v20" /><path d="m15 19-3 3-3-3" /><path d="m19 9 3 3-3 3" /><path
      d="M2 12h20"
    /><path d="m5 9-3 3 3 3" /><path d="m9 5 3-3 3 3" />`,
  print: html`<path d="M6 18H4a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2h16a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-2" /><path
      d="M6 9V3a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v6"
    /><rect x="6" y="14" width="12" height="8" rx="1" />`,
  account: html`<path d="M17.925 20.056a6 6 0 0 0-11.851.001" /><circle cx="12" cy="11" r="4" /><circle
      cx="12"
      cy="12"
      r="10"
    />`,
  logOut: html`<path d="m16 17 5-5-5-5" /><path d="M21 12H9" /><path
      d="M9 21H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2h4"
    />`,
  audit: html`<path d="M3 12a9 9 0 1 0 9-9 9.75 9.75 0 0 0-6.74 2.74L3 8" /><path d="M3 3v5h5" /><path
      d="M12 7v5l4 2"
    />`,
  calendars: html`<path d="M11 10v4h4" /><path d="m11 14 1.535-1.605a5 5 0 018 1.5" /><path
      d="M16 2v3"
    /><path d="m21 18-1.535 1.605a5 5 0 01-8-1.5" /><path d="M21 22v-4h-4" /><path
      d="M21 8.517V5a2 2 0 00-2-2H5a2 2 0 00-2 2v14a2 2 0 002 2h3.517"
    /><path d="M3 9h4" /><path d="M8 2v3" />`,
  users: html`<path
      d="M20 13c0 5-3.5 7.5-7.66 8.95a1 1 0 0 1-.67-.01C7.5 20.5 4 18 4 13V6a1 1 0 0 1 1-1c2 0 4.5-1.2 6.24-2.72a1.17 1.17 0 0 1 1.52 0C14.51 3.81 17 5 19 5a1 1 0 0 1 1 1z"
    /><path d="m9 12 2 2 4-4" />`,
  blocked: html`<circle cx="12" cy="12" r="10" /><path d="M4.929 4.929 19.07 19.071" />`,
  arrived: html`<path d="m16 11 2 2 4-4" /><path d="M16 21v-2a4 4 0 0 0-4-4H6a4 4 0 0 0-4 4v2" /><circle
      cx="9"
      cy="7"
      r="4"
    />`,
  place: html`<path
      d="M20 10c0 4.993-5.539 10.193-7.399 11.799a1 1 0 0 1-1.202 0C9.539 20.193 4 14.993 4 10a8 8 0 0 1 16 0"
    /><circle cx="12" cy="10" r="3" />`,
  up: html`<path d="m18 15-6-6-6 6" />`,
  again: html`<path d="m17 2 4 4-4 4" /><path d="M3 11v-1a4 4 0 0 1 4-4h14" /><path d="m7 22-4-4 4-4" /><path
      d="M21 13v1a4 4 0 0 1-4 4H3"
    />`,
  building: html`<path d="M10 12h4" /><path d="M10 8h4" /><path d="M14 21v-3a2 2 0 0 0-4 0v3" /><path
      d="M6 10H4a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V9a2 2 0 0 0-2-2h-2"
    /><path d="M6 21V5a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16" />`,
}

export type IconName = keyof typeof drawings

/** Icons that point to the start or end of a line. */
const turning = new Set<IconName>(['previous', 'next'])

/** Renders an icon. Screen readers skip it, because a word next to it or a label says the same. */
export function icon(name: IconName): Html {
  return html`<svg
    class="${turning.has(name) ? 'icon turns' : 'icon'}"
    viewBox="0 0 24 24"
    aria-hidden="true"
  >
    ${drawings[name]}
  </svg>`
}
