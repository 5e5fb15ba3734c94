import { isProblem } from "./problems.js";
/** A session is renewed so long before its end, or when a tenth of it is left where that is less. */
const renewedBeforeMs = 300_000;
/**
 * Sends each request with a session token: exchanged when it is first needed, renewed before its hour is over, and
 * once more when the service refuses it with 401. Holds and bookings go over to each new session.
 */
export function sendWithSession(send, time, source) {
    let previousToken = source.previousSession;
    let current;
    let exchange;
    async function exchangeNow() {
        const response = await send(new Request(new URL('/api/v1/session', source.baseUrl), {
            method: 'POST',
            headers: {
                authorization: `Bearer ${source.publishableKey}`,
                ...(previousToken !== undefined && { 'x-previous-session': previousToken }),
            },
        }));
        if (!response.ok)
            return response;
        const session = (await response.json());
        previousToken = session.session_token;
        current = { token: session.session_token, renewAtMs: time.nowMs() + renewAfterMs(session, response) };
        source.onSession(session);
        return current;
    }
    /** Requests at the same moment wait for one exchange; whose request it was may give up waiting. */
    function renewed(signal) {
        exchange ??= exchangeNow().finally(() => {
            exchange = undefined;
        });
        return orAborted(exchange, signal);
    }
    return async (request) => {
        const valid = current && time.nowMs() < current.renewAtMs ? current : await renewed(request.signal);
        if (valid instanceof Response)
            return valid.clone();
        const response = await send(withToken(request, valid.token));
        if (response.status !== 401 || !(await refusesSession(response)))
            return response;
        // another request may have got a new session meanwhile
        const next = current && current.token !== valid.token ? current : await renewed(request.signal);
        return next instanceof Response ? next.clone() : send(withToken(request, next.token));
    };
}
function withToken(request, token) {
    const copy = request.clone();
    copy.headers.set('authorization', `Bearer ${token}`);
    return copy;
}
async function refusesSession(response) {
    const body = await response
        .clone()
        .json()
        .catch(() => undefined);
    return isProblem(body) && ['session_expired', 'invalid_credentials'].includes(body.code);
}
/** By the clock of the service where it tells the time: that of the device may be wrong. */
function renewAfterMs({ expires_at }, response) {
    const date = Date.parse(response.headers.get('date') ?? '');
    const lifetimeMs = Date.parse(expires_at) - (Number.isNaN(date) ? Date.now() : date);
    // a clock that is wrong by more than a session makes no difference: then a 401 says when
    if (!(lifetimeMs > 0))
        return Infinity;
    return lifetimeMs - Math.min(renewedBeforeMs, lifetimeMs / 10);
}
function orAborted(promise, signal) {
    return new Promise((resolve, reject) => {
        const aborted = () => {
            reject(signal.reason);
        };
        if (signal.aborted)
            aborted();
        signal.addEventListener('abort', aborted, { once: true });
        promise.then(resolve, reject).finally(() => {
            signal.removeEventListener('abort', aborted);
        });
    });
}
