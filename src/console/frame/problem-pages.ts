import type { FastifyReply, FastifyRequest } from 'fastify'
import { assertOwnPage } from '../../access/authentication-hook.ts'
import { type Problem, problemKinds } from '../../base/errors.ts'
import { html } from '../../base/html.ts'
import { ownOrigins, publicUrl } from '../../base/public-url.ts'
import type { Context } from '../../bookings/context.ts'
import { bodyLimitBytes } from '../../http/body.ts'
import { fieldsOf } from '../../http/forms.ts'
import type { ShowProblem } from '../../http/problems.ts'
import type { Typed } from '../../pages/form.ts'
import { pageLanguage, sendMessagePage } from '../../pages/message-page.ts'
import { sendPage } from '../../pages/page.ts'
import { findVisit, sendConsolePage } from './console-page.ts'
import { notFound } from './console-route.ts'
import { sendConsoleProblem } from './gate-page.ts'

/*
 * Error pages for people, in place of problem documents, in the design of their context. A console form keeps
 * its input.
 */

/** Paths for developers, with pages in English. */
const ofProgrammers = /^\/(?:docs|problems|embed|api|mcp|oauth|\.well-known)(?=[/?]|$)/
const ofConsole = /^\/console(?=[/?]|$)/

/** Shows problems to people. */
export function problemPages(context: Context): ShowProblem {
  const ours = ownOrigins(context.config)
  const { host } = new URL(publicUrl(context.config))
  return async (request, reply, problem) => {
    const { originalUrl: path } = request
    if (ofConsole.test(path)) {
      const isAddress = request.method === 'GET' && ['not_found', 'validation_failed'].includes(problem.code)
      const visit = isAddress ? await findVisit(context, request) : undefined
      if (visit) return sendConsolePage(reply, { visit, ...notFound(visit) })
      return sendConsoleProblem(reply, problem, await sentForm(request, ours))
    }
    // anyone may mistype an address, and most of them are clients
    if (!ofProgrammers.test(path)) return sendMessage(request, reply, { problem, host })
    const { title } = problemKinds[problem.code]
    return sendPage(reply, {
      title: `${title} – Holdfast`,
      main: html`<main id="main" class="text" tabindex="-1">
        <h1>${title}</h1>
        <p>${problem.message}</p>
        <p><a class="button" href="/">To the first page</a></p>
        <p class="soft">Request <code>${request.id}</code></p>
      </main>`,
    })
  }
}

function sendMessage(
  request: FastifyRequest,
  reply: FastifyReply,
  { problem, host }: { problem: Problem; host: string },
): FastifyReply {
  const language = pageLanguage(request.headers['accept-language'])
  const { say } = language
  const { status } = problemKinds[problem.code]
  const isForNow = status === 429 || status >= 500
  return sendMessagePage(reply, language, {
    title: say(isForNow ? 'page.later' : 'page.nothing'),
    content: html`<p>${say(isForNow ? 'page.laterHint' : 'page.nothingHint')}</p>
      ${
        isForNow
          ? ''
          : html`<p class="aside">
              <a href="/"><bdi dir="ltr">${host}</bdi></a>
            </p>`
      }`,
    sign: isForNow ? 'again' : 'search',
  })
}

/**
 * Returns the form of a failed request, so that a page can restore it. Undefined if there is none, or if it
 * is not from our own pages.
 */
async function sentForm(
  request: FastifyRequest,
  ours: ReadonlySet<string>,
): Promise<{ path: string; fields: Typed } | undefined> {
  if (!request.routeOptions.config.keepsForm) return undefined
  try {
    assertOwnPage(request, ours) // another website must not fill in our forms
    const { body = await readFields(request) } = request
    return { path: request.url, fields: body as Typed }
  } catch {
    return undefined // unreadable or rejected input is not restored
  }
}

/** Reads the fields of a form that was refused before it was read. Throws if it is too long or incomplete. */
async function readFields({ raw, headers }: FastifyRequest): Promise<Typed> {
  if (
    raw.readableDidRead ||
    headers['content-type']?.split(';', 1)[0] !== 'application/x-www-form-urlencoded'
  )
    throw new Error('there is nothing to read')
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of raw as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > bodyLimitBytes) throw new Error('the form is too long')
    parts.push(part)
  }
  return fieldsOf(Buffer.concat(parts))
}
