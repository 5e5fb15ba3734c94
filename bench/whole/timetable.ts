import { monotonicMs } from '../../src/clock.ts'

const leastShare = 0.3

/** Tells how long a run still takes, and how much shorter its rounds have to be for it to end in time. */
export class Timetable {
  private readonly startedMs = monotonicMs()
  private plannedSeconds: number
  private readonly limitSeconds: number
  private doneSeconds = 0

  constructor(plannedSeconds: number, limitSeconds: number) {
    this.plannedSeconds = plannedSeconds
    this.limitSeconds = limitSeconds
  }

  get elapsedSeconds(): number {
    return (monotonicMs() - this.startedMs) / 1000
  }

  /** Work that was planned to take so long is done. */
  finish(plannedSeconds: number): void {
    this.doneSeconds += plannedSeconds
  }

  /** Work that was planned to take so long is left out. */
  skip(plannedSeconds: number): void {
    this.plannedSeconds -= plannedSeconds
  }

  /** The part of its planned length that a round keeps. */
  get share(): number {
    return Math.min(1, Math.max(leastShare, this.leftShare))
  }

  /** Shorter rounds are not enough: something has to be left out. */
  get isLate(): boolean {
    return this.leftShare < leastShare
  }

  /** Nothing more may be begun. */
  get isOver(): boolean {
    return this.elapsedSeconds >= this.limitSeconds
  }

  private get leftShare(): number {
    return (this.limitSeconds - this.elapsedSeconds) / (this.notDoneSeconds * this.pace)
  }

  /** Such as "31 %, 8 minutes left". */
  get text(): string {
    const percent = Math.round((100 * this.doneSeconds) / this.plannedSeconds)
    return `${Math.min(percent, 100)} %, ${durationText(this.notDoneSeconds * this.pace)} left`
  }

  private get notDoneSeconds(): number {
    return Math.max(this.plannedSeconds - this.doneSeconds, 1)
  }

  /** Seconds that a planned second takes. */
  private get pace(): number {
    return this.doneSeconds > 0 ? this.elapsedSeconds / this.doneSeconds : 1
  }
}

/** Such as "45 seconds" or "8 minutes". */
export function durationText(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`
}
