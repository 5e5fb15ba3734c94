import { problemKinds, type ProblemCode } from '../../errors.ts'
import { faultTexts, problemTexts } from '../../problem-texts.ts'
import { exampleProblem } from '../openapi-problems.ts'
import { html, prose, type Html } from './page.ts'

const codes = Object.keys(problemKinds) as ProblemCode[] // its own keys

/** The code that a text is; undefined when it is none. */
export function problemCode(text: string): ProblemCode | undefined {
  return codes.find((code) => code === text)
}

/** An operation that can answer with a problem, and where it stands in the reference. */
export interface Giver {
  summary: string
  address: string
}

/** What is to be said about a code: what happened, what to do, an example, and who answers so. */
export function problemPage(code: ProblemCode, givers: Giver[]): Html {
  const { status, title } = problemKinds[code]
  const { when, carries, whatToDo } = problemTexts[code]
  return textPage(
    html`<h1>${title}</h1>
      <p class="code"><code>${code}</code> <span class="status">${status}</span></p>
      <h2>What happened</h2>
      <p>${prose(sentence(when))}</p>
      ${
        carries === undefined
          ? ''
          : html`<h2>What the document carries</h2>
              <p>${prose(sentence(carries))}</p>`
      }
      ${code === 'validation_failed' ? faultTable() : ''}
      <h2>What to do</h2>
      <p>${prose(sentence(whatToDo))}</p>
      <h2>An example</h2>
      <pre tabindex="0"><code>${JSON.stringify(exampleProblem(code), null, 2)}</code></pre>
      ${
        givers.length === 0
          ? ''
          : html`<h2>Who answers so</h2>
              <ul>
                ${givers.map(({ summary, address }) => html`<li><a href="${address}">${summary}</a></li>`)}
              </ul>`
      }
      <p><a href="/problems">All problems</a></p>`,
  )
}

function faultTable(): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${Object.entries(faultTexts).map(
        ([code, text]) =>
          html`<tr>
            <td><code>${code}</code></td>
            <td>${prose(text)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Every code, by status. */
export function problemIndex(): Html {
  const byStatus = Map.groupBy(codes, (code) => problemKinds[code].status)
  const groups = [...byStatus].toSorted(([one], [other]) => one - other)
  return textPage(
    html`<h1>Problems</h1>
      <p>
        Every refusal is a problem document (RFC 9457) with one of these codes. Programs decide by the code;
        it does not change.
      </p>
      ${groups.map(
        ([status, ofStatus]) =>
          html`<h2 id="${status}">${status}</h2>
            <ul class="codes">
              ${ofStatus.map(
                (code) =>
                  html`<li>
                    <a href="/problems/${code}"><code>${code}</code></a> ${problemKinds[code].title}
                  </li>`,
              )}
            </ul>`,
      )}`,
  )
}

/** For a code that there is not. */
export function unknownProblemPage(text: string): Html {
  return textPage(
    html`<h1>No such problem</h1>
      <p>There is no problem with the code <code>${text.slice(0, 64)}</code>.</p>
      <p><a href="/problems">All problems</a></p>`,
  )
}

function textPage(content: Html): Html {
  return html`<main id="main" class="text" tabindex="-1">${content}</main>`
}

/** The texts begin as they stand in the guide, after a word and a colon. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
