import type { components } from './api-types.js';
import type { Send, Time } from './send-with-retries.js';
type Session = components['schemas']['Session'];
/** What the sessions of a client come from. */
export interface SessionSource {
    /** Where the service is, such as https://booking.example.com. */
    baseUrl: string;
    publishableKey: string;
    /** A session token from before, whose holds and bookings go over to the first session. */
    previousSession: string | undefined;
    /** Told of each new session, for example to keep its token over a reload of the page. */
    onSession: (session: Session) => void;
}
/**
 * Sends each request with a session token: exchanged when it is first needed, renewed before its hour is over, and
 * once more when the service refuses it with 401. Holds and bookings go over to each new session.
 */
export declare function sendWithSession(send: Send, time: Time, source: SessionSource): Send;
export {};
