import { html, type Html } from '../base/html.ts'

/*
 * The two forms of an email: plain text and hand-written HTML. Both have the same contents in the same order. The HTML
 * is one column of at most 600 pixels and loads nothing but the logo of the business. It uses tables where some email programs support
 * nothing else.
 */

/** A part of an email. */
export type Block =
  | { type: 'paragraph'; text: string }
  | { type: 'small'; text: string }
  | { type: 'list'; lines: string[] }
  /** Ways to contact the business. */
  | { type: 'contact'; text: string; ways: { label: string; url: string }[] }
  | { type: 'button'; label: string; url: string }
  | { type: 'link'; label: string; url: string; isSmall?: boolean }
  | {
      type: 'card'
      title: string
      lines: string[]
      /** Labels with their values. */
      rows: [label: string, value: string][]
      link: { label: string; url: string } | null
      /** Struck through, because the appointment is cancelled. */
      isOver: boolean
    }

interface Page {
  title: string
  locale: string
  direction: 'ltr' | 'rtl'
  business: { name: string; color: string | null; logoUrl?: string | null }
}

const plainColor = '#1f6f5c'
/** Longer labels, such as questions, are placed above their values. */
const maxBeside = 20

/** Returns the plain text. */
export function textOf({ business }: Page, blocks: Block[]): string {
  return [...blocks.map(textOfBlock), `-- \n${business.name}`].join('\n\n') + '\n'
}

function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'paragraph':
    case 'small':
      return block.text
    case 'list':
      return block.lines.map((line) => `* ${line}`).join('\n')
    case 'contact':
      return [block.text, ...block.ways.map(({ label }) => label)].join('\n')
    case 'button':
    case 'link':
      return `${block.label}:\n${block.url}`
    case 'card':
      return [
        block.title,
        ...block.lines,
        ...block.rows.map(([label, value]) => `${ledIn(label)} ${value.replaceAll('\n', ', ')}`),
        ...(block.link ? [`${block.link.label}: ${block.link.url}`] : []),
      ]
        .map((line) => `  ${line}`)
        .join('\n')
  }
}

/** Ends a label with a colon, unless it is a question or has one. */
function ledIn(label: string): string {
  return /[?!:\u061f\uff01\uff1a\uff1f]$/.test(label) ? label : `${label}:`
}

const styles = html`<style>
  :root {
    color-scheme: light dark;
  }
  a {
    color: inherit;
  }
  @media (max-width: 480px) {
    .page {
      padding: 12px !important;
    }
    .ink.page {
      padding: 20px 16px !important;
    }
    .card {
      padding: 16px !important;
    }
    .button a {
      display: block !important;
    }
  }
  @media (prefers-color-scheme: dark) {
    body,
    .back {
      background: #16181a !important;
    }
    .sheet {
      background: #202427 !important;
      border-left-color: #33393d !important;
      border-right-color: #33393d !important;
      border-bottom-color: #33393d !important;
    }
    .card {
      background: #2a2f33 !important;
      border-top-color: #3a4146 !important;
      border-bottom-color: #3a4146 !important;
      border-inline-end-color: #3a4146 !important;
    }
    .logo {
      padding: 4px 6px !important;
    }
    .ink,
    .ink td {
      color: #eceff0 !important;
    }
    .soft,
    .ink td.soft {
      color: #a9b2b6 !important;
    }
  }
</style>`

/** Returns the HTML. */
export function htmlOf(page: Page, blocks: Block[]): string {
  const { title, locale, direction, business } = page
  const color = /^#[0-9a-f]{6}$/i.test(business.color ?? '') ? (business.color ?? plainColor) : plainColor
  return html`<!doctype html>
    <html lang="${locale}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${title}</title>
        ${styles}
      </head>
      <body class="back" style="margin:0;padding:0;background:#f2f4f3;">
        <table
          role="presentation"
          class="back"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          border="0"
          style="background:#f2f4f3;"
        >
          <tr>
            <td class="page" align="center" style="padding:24px;">
              <table
                role="presentation"
                class="sheet"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                dir="${direction}"
                style="max-width:600px;background:#ffffff;border:1px solid #e1e5e3;border-radius:12px;border-top:4px solid ${color};"
              >
                <tr>
                  <td
                    class="ink page"
                    style="padding:24px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:16px;line-height:1.5;color:#1d2321;text-align:start;"
                  >
                    <div class="soft" style="font-size:14px;color:#5c6763;margin:0 0 16px;">
                      ${business.logoUrl ? logoOf(business.logoUrl) : ''}${business.name}
                    </div>
                    ${blocks.map((block) => htmlOfBlock(block, color))}
                  </td>
                </tr>
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html> `.text
}

/** Bounds the logo. Outlook reads its height only from the attribute. Dark logos stay readable on their white ground. */
function logoOf(url: string): Html {
  return html`<img
    src="${url}"
    alt=""
    height="40"
    class="logo"
    style="display:inline-block;vertical-align:middle;margin-inline-end:10px;width:auto;max-width:200px;height:auto;max-height:40px;background:#ffffff;border-radius:6px;"
  />`
}

function htmlOfBlock(block: Block, color: string): Html {
  switch (block.type) {
    case 'paragraph':
      return html`<p style="margin:0 0 12px;">${lines(block.text)}</p>`
    case 'small':
      return html`<p class="soft" style="margin:0 0 8px;font-size:14px;color:#5c6763;">
        ${lines(block.text)}
      </p>`
    case 'list':
      return html`<ul style="margin:0 0 16px;padding-inline-start:20px;">
        ${block.lines.map((line) => html`<li style="margin:0 0 6px;">${line}</li>`)}
      </ul>`
    case 'contact':
      return html`<p class="soft" style="margin:16px 0 8px;font-size:14px;color:#5c6763;">
        ${block.text}${block.ways.map(
          ({ label, url }) => html`<br /><a href="${url}"><bdi dir="ltr">${label}</bdi></a>`,
        )}
      </p>`
    case 'button':
      return html`<table
        role="presentation"
        class="button"
        width="100%"
        cellpadding="0"
        cellspacing="0"
        border="0"
        style="margin:20px 0 16px;"
      >
        <tr>
          <td style="text-align:start;">
            <a
              href="${block.url}"
              style="display:inline-block;padding:12px 24px;border-radius:8px;background:${color};color:${inkOn(color)};font-weight:600;text-decoration:none;text-align:center;"
              >${block.label}</a
            >
          </td>
        </tr>
      </table>`
    case 'link':
      return html`<p
        class="${block.isSmall ? 'soft' : ''}"
        style="margin:0 0 ${block.isSmall ? '6px;font-size:14px;color:#5c6763;' : '12px;'}"
      >
        <a href="${block.url}">${block.label}</a>
      </p>`
    case 'card':
      return htmlOfCard(block, color)
  }
}

function htmlOfCard(card: Extract<Block, { type: 'card' }>, color: string): Html {
  const over = card.isOver ? 'text-decoration:line-through;' : ''
  const rows = card.rows.map(([label, value]) =>
    label.length > maxBeside
      ? html`<tr>
          <td colspan="2" style="padding:4px 0;overflow-wrap:anywhere;">
            <div class="soft" style="font-size:14px;color:#5c6763;">${label}</div>
            <bdi>${lines(value)}</bdi>
          </td>
        </tr>`
      : html`<tr>
          <td
            class="soft"
            style="padding:4px 12px 4px 0;padding-inline:0 12px;font-size:14px;color:#5c6763;vertical-align:baseline;white-space:nowrap;"
          >
            ${label}
          </td>
          <td style="padding:4px 0;width:100%;vertical-align:baseline;overflow-wrap:anywhere;">
            <bdi>${lines(value)}</bdi>
          </td>
        </tr>`,
  )
  return html`<table
    role="presentation"
    width="100%"
    cellpadding="0"
    cellspacing="0"
    border="0"
    style="margin:16px 0;"
  >
    <tr>
      <td
        class="card"
        style="padding:20px;background:#f7f9f8;border:1px solid #e1e5e3;border-inline-start:4px solid ${color};border-radius:8px;"
      >
        <div style="font-size:20px;font-weight:600;line-height:1.3;margin:0 0 8px;${over}">${card.title}</div>
        ${card.lines.map((line) => html`<div style="${over}">${line}</div>`)}
        ${
          rows.length > 0
            ? html`<table
                role="presentation"
                class="ink"
                width="100%"
                cellpadding="0"
                cellspacing="0"
                border="0"
                style="margin:12px 0 0;"
              >
                ${rows}
              </table>`
            : ''
        }
        ${card.link ? html`<div style="margin:12px 0 0;overflow-wrap:anywhere;">${card.link.label}: <a href="${card.link.url}">${card.link.url}</a></div>` : ''}
      </td>
    </tr>
  </table>`
}

/** Returns black or white, whichever is easier to read on the colour (WCAG 2.2, contrast ratio). */
export function inkOn(color: string): string {
  const channel = (at: number) => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
  return luminance > 0.179 ? '#111111' : '#ffffff'
}

function lines(text: string): Html {
  return html`${text.split(/\r?\n/).map((line, index) => (index === 0 ? line : html`<br />${line}`))}`
}
