import type { RaceResult } from './race-types.ts'

/** What one round of a race has shown. */
export interface Round {
  granted: number
  refused: number
  faults: string[]
}

/** Adds up the rounds of one race. */
export class RoundSum {
  readonly faults: string[] = []
  private readonly race: string
  private readonly tried: string
  private readonly verb: string
  private rounds = 0
  private granted = 0
  private refused = 0

  /** `tried` and `verb` are for people: what each round is, and what became of those who were not refused. */
  constructor(race: string, tried: string, verb: string) {
    this.race = race
    this.tried = tried
    this.verb = verb
  }

  add({ granted, refused, faults }: Round): void {
    this.rounds += 1
    this.granted += granted
    this.refused += refused
    this.faults.push(...faults)
  }

  result(): RaceResult {
    return {
      race: this.race,
      tried: `${this.tried}, ${this.rounds} ${this.rounds === 1 ? 'time' : 'times'}`,
      saw: `${this.granted} ${this.verb}, ${this.refused} refused`,
      skipped: false,
      faults: this.faults,
    }
  }
}
