import { createInterface } from 'node:readline/promises'
import { OperatorError, UsageError } from '../base/errors.ts'
import { publicUrl } from '../base/public-url.ts'
import type { Context } from '../bookings/context.ts'
import { checkOrigin } from '../catalogue/business-keys.ts'
import { CatalogueFile } from '../catalogue/catalogue-file-schemas.ts'
import { assertNoBusiness, type FirstBusiness, setUpBusiness } from '../catalogue/setup.ts'
import { normalise } from '../base/normalise.ts'
import { compileCreation, fieldErrorsOf } from '../base/validation.ts'
import { calledAs, type CliCommand, commandIO, print, warn, withDatabase } from './command-line.ts'
import { numberIn, readMoney, readWeeklyHours } from './input.ts'

/** Answers to the questions of setup, as texts. An empty text means no answer. */
interface Answers {
  name: string
  timezone: string
  hours: string
  service: string
  minutes: string
  price: string
  person: string
  email: string
  phone: string
  website: string
}

type Option = keyof Answers

/** A question, and the path of its answer in the import file. */
interface Question {
  option: Option
  text: string
  fallback: string
  /** Path as it appears in the pointer of a fault. */
  place: string
}

const questions: Question[] = [
  { option: 'name', text: 'Name of your business', fallback: '', place: '/business/name' },
  {
    option: 'timezone',
    text: 'Time zone',
    fallback: Intl.DateTimeFormat().resolvedOptions().timeZone,
    place: '/business/timezone',
  },
  {
    option: 'hours',
    text: 'Opening hours',
    fallback: 'mon-fri 09:00-17:00',
    place: '/locations/0/weekly_hours',
  },
  { option: 'service', text: 'Your first service, such as Haircut', fallback: '', place: '/services/0/name' },
  { option: 'minutes', text: 'Its duration in minutes', fallback: '30', place: '/services/0/duration' },
  {
    option: 'price',
    text: 'Its price, such as 35 EUR (Enter: none)',
    fallback: '',
    place: '/services/0/price',
  },
  {
    option: 'person',
    text: 'Who provides it (Enter: nobody in particular)',
    fallback: '',
    place: '/staff/0',
  },
  {
    option: 'email',
    text: 'Your email address for clients, such as hello@example.com (Enter: none)',
    fallback: '',
    place: '/business/reply_to_email',
  },
  {
    option: 'phone',
    text: 'Your phone number for clients, such as +49 30 1234 (Enter: none)',
    fallback: '',
    place: '/business/phone',
  },
  {
    option: 'website',
    text: 'Your website, such as https://www.example.com (Enter: any website may show your form)',
    fallback: '',
    place: '',
  },
]

/** Options whose answer must not be empty. */
const needed: Option[] = ['name', 'timezone', 'hours', 'service', 'minutes']
const maxTries = 10

type SetupOptions = Partial<Answers> & { yes?: boolean; json?: boolean }

export function registerSetup(program: CliCommand): void {
  program
    .command('setup')
    .description('create the first business with its booking page and keys; interactive on a terminal')
    .option('--name <name>', 'name of the business')
    .option('--timezone <zone>', "time zone, such as Europe/Berlin (default: the machine's)")
    .option('--hours <hours>', 'opening hours (default: "mon-fri 09:00-17:00")')
    .option('--service <name>', 'name of the first service')
    .option('--minutes <minutes>', 'its duration (default: 30)')
    .option('--price <amount>', 'its price, such as "35 EUR"')
    .option('--person <name>', 'who provides it (default: nobody in particular)')
    .option('--email <address>', 'email address for clients, shown in emails and on the page of a booking')
    .option('--phone <number>', 'phone number for clients, shown in emails and on the page of a booking')
    .option('--website <origin>', 'the only website that may show the form, such as https://www.example.com')
    .option('--yes', 'ask nothing; needs --name and --service, the rest has defaults')
    .withJson()
    .examples('setup', 'setup --yes --name "Salon Spree" --service Haircut --minutes 45 --price "35 EUR"')
    .action(async ({ yes = false, json, ...options }: SetupOptions) => {
      const stdin = commandIO().stdin?.()
      if (!yes && !stdin?.isTTY)
        throw new UsageError(
          'This is not a terminal: add --yes, --name and --service, and other options as needed.',
        )
      const made = await withDatabase(async (context) => {
        await assertNoBusiness(context)
        return make(context, yes || !stdin ? withDefaults(options) : await ask(options, stdin))
      })
      const embed = embedLines(made.server, made.publishable_key)
      const { server: _, ...shown } = made
      print({ ...shown, embed: embed.join('\n') }, json, () => lines(shown, embed))
    })
}

function withDefaults(options: Partial<Answers>): Answers {
  const answers = Object.fromEntries(
    questions.map(({ option, fallback }) => [option, options[option] ?? fallback]),
  )
  return answers as unknown as Answers // every question has an answer
}

async function make(context: Context, answers: Answers): Promise<FirstBusiness & { server: string }> {
  const { file, faults } = read(answers)
  assertNoFaults(faults)
  const { environment } = context.config
  const made = await setUpBusiness(context, file, answers.website === '' ? [] : [answers.website])
  if (environment === 'production' && context.config.publicUrl === '')
    warn('PUBLIC_URL is not set: the URLs below work on this machine only')
  return { ...made, server: publicUrl(context.config) }
}

function assertNoFaults(faults: Faults): void {
  const named = Object.entries(faults).map(([option, fault]) => `--${option} ${fault}`)
  if (named.length > 0) throw new UsageError(`${named.join('; ')}.`)
}

/** Faults by option, each phrased to follow the option's name. */
type Faults = Partial<Record<Option, string>>

type SetupFile = CatalogueFile & { business: NonNullable<CatalogueFile['business']> }

/** Builds the import file of a business from these answers. Also returns the fault of each invalid answer. */
function read(answers: Answers): { file: SetupFile; faults: Faults } {
  const faults: Faults = {}
  const attempt = <T>(option: Option, work: (text: string) => T): T | undefined => {
    try {
      return answers[option] === '' ? undefined : work(answers[option])
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults[option] = error.message.replace(/^--minutes /, '').replace(/\.$/, '')
      return undefined
    }
  }
  const { name, timezone, service, person, email, phone } = answers
  const hours = attempt('hours', readWeeklyHours)
  const price = attempt('price', readMoney)
  attempt('website', checkOrigin)
  const minutes = attempt('minutes', (text) => numberIn(text, '--minutes', 'whole minutes, such as 30'))
  const given = {
    business: {
      ...{ name, timezone },
      ...(email !== '' && { reply_to_email: email }),
      ...(phone !== '' && { phone }),
    },
    locations: [{ name, ...(hours !== undefined && hours !== null && { weekly_hours: hours }) }],
    staff: person === '' ? [] : [{ name: person }],
    services: [
      {
        name: service,
        duration_minutes: minutes ?? 30,
        locations: [name],
        ...(price && { price }),
        ...(person !== '' && { staff: [person] }),
      },
    ],
  }
  const validate = compileCreation(CatalogueFile)
  const file = normalise(given) as SetupFile
  if (!validate(file)) {
    for (const { pointer, detail } of fieldErrorsOf(validate.errors ?? [])) {
      const { option } = questions.find(({ place }) => place !== '' && pointer.startsWith(place)) ?? {}
      if (option) faults[option] ??= detail
    }
  }
  for (const option of needed) if (answers[option].trim() === '') faults[option] = 'must not be empty'
  return { file, faults }
}

/** Asks for missing answers, and again for invalid ones. Throws an OperatorError if the terminal closes. */
async function ask(options: Partial<Answers>, input: NodeJS.ReadableStream): Promise<Answers> {
  const terminal = createInterface({ input, output: commandIO().stderr })
  const lines = terminal[Symbol.asyncIterator]() // buffers lines pasted ahead
  let closed = false // all answers may already be buffered
  terminal.once('close', () => {
    closed = true
  })
  const say = async (prompt: string) => {
    terminal.setPrompt(prompt)
    if (closed) commandIO().stderr.write(prompt)
    else terminal.prompt()
    const { done, value } = await lines.next()
    if (done) throw new OperatorError('Nothing was created.') // Ctrl+C or Ctrl+D
    return value.trim()
  }
  try {
    let answers: Answers = { ...withDefaults({}), name: 'x', service: 'x', ...options }
    assertNoFaults(read(answers).faults)
    for (const question of questions.filter(({ option }) => options[option] === undefined))
      answers = { ...answers, [question.option]: await answerTo(question, answers, say) }
    return answers
  } finally {
    terminal.close()
  }
}

async function answerTo(
  { option, text, fallback }: Question,
  others: Answers,
  say: (prompt: string) => Promise<string>,
): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const answer = (await say(`${text}${fallback === '' ? '' : ` [${fallback}]`}: `)) || fallback
    const fault = read({ ...others, [option]: answer }).faults[option]
    if (fault === undefined) return answer
    commandIO().stderr.write(`  Invalid: it ${fault}\n`.replace('it "', '"'))
  }
  throw new OperatorError('Nothing was created: too many answers were invalid.')
}

/** Returns the HTML for the business's website. */
function embedLines(server: string, publishableKey: string): string[] {
  return [
    `<script type="module" src="${server}/widget/v1.js"></script>`,
    `<holdfast-booking publishable-key="${publishableKey}" style="display: block; min-height: 800px"></holdfast-booking>`,
  ]
}

function lines(made: FirstBusiness, embed: string[]): string[] {
  const { business, booking_page, publishable_key, business_key } = made
  return [
    `${business.name} is ready for bookings (${business.timezone}).`,
    '',
    `Booking page   ${booking_page}`,
    '',
    'On your website:',
    ...embed.map((line) => `  ${line}`),
    '',
    'Keys, which are not shown again:',
    `  publishable key  ${publishable_key}`,
    `  business key     ${business_key}`,
    '',
    `More services, people and hours: ${calledAs()} service create --business ${business.id} …`,
  ]
}
