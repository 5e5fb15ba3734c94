import { type Client } from 'openapi-fetch';
import type { components, paths } from './api-types.js';
import { type RetryOptions, type Send, type Time } from './send-with-retries.js';
export { HoldfastError, isProblem, orThrow, UnexpectedAnswerError } from './problems.js';
export type { Problem, ProblemCode } from './problems.js';
export type { RetryOptions } from './send-with-retries.js';
export type { components, paths };
type Schemas = components['schemas'];
export type Booking = Schemas['Booking'];
export type BookingStatus = Schemas['BookingStatus'];
export type Hold = Schemas['Hold'];
export type Location = Schemas['Location'];
export type Service = Schemas['Service'];
export type Session = Schemas['Session'];
export type StaffMember = Schemas['StaffMember'];
/** Calls the operations of the API by method and path; gives `data`, or the problem as `error`. */
export type HoldfastClient = Client<paths>;
export type HoldfastClientOptions = {
    /** Where the service is, such as https://booking.example.com. */
    baseUrl: string;
    /** How often and how long a request that was answered by 429 or 503 is tried again. */
    retries?: Partial<RetryOptions>;
    /** In place of the global `fetch`. */
    fetch?: Send;
} & ({
    /** A business or hub key, or any token that is to be sent as it is. */
    key: string;
} | {
    /** A publishable key: the client exchanges it for a session and renews that by itself. */
    publishableKey: string;
    /** A session token from before, whose holds and bookings go over to the first session. */
    previousSession?: string;
    /** Told of each new session, for example to keep its token over a reload of the page. */
    onSession?: (session: Session) => void;
});
/**
 * A client of the Holdfast API. Every answer and every problem has its type. A request that is answered by 429 or 503 is
 * sent again after `Retry-After`; a creation carries an `Idempotency-Key`, so that it happens once all the same.
 */
export declare function createHoldfastClient(options: HoldfastClientOptions, time?: Time): HoldfastClient;
