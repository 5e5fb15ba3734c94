<?php

// Finds the next free haircut, holds it, books it and cancels it. Needs no extension but openssl for https.

declare(strict_types=1);

const TIMEOUT_SECONDS = 30;

/** A refusal. `problem` is its document (RFC 9457), with a `code` such as `slot_held`. */
final class HoldfastError extends RuntimeException
{
    /** @param array<string, mixed> $problem */
    public function __construct(public readonly array $problem)
    {
        parent::__construct("{$problem['code']}: {$problem['detail']}");
    }
}

/**
 * Returns the decoded answer, or null without one. Throws a HoldfastError for a refusal.
 *
 * @param array<string, mixed>|null $body
 */
function call(string $token, string $method, string $path, ?array $body = null): ?array
{
    $headers = ["Authorization: Bearer {$token}"];
    if ($body !== null) {
        // the server performs a request with this key once, however often it is sent
        array_push($headers, 'Content-Type: application/json', 'Idempotency-Key: ' . bin2hex(random_bytes(16)));
    }
    $http = ['method' => $method, 'header' => $headers, 'ignore_errors' => true, 'timeout' => TIMEOUT_SECONDS];
    if ($body !== null) {
        $http['content'] = json_encode($body, JSON_THROW_ON_ERROR);
    }
    $server = rtrim(getenv('HOLDFAST_URL') ?: 'http://127.0.0.1:3000', '/');
    $text = @file_get_contents("{$server}/api/v1{$path}", false, stream_context_create(['http' => $http]));
    if ($text === false) {
        throw new RuntimeException("{$server} cannot be reached.");
    }
    $answer = $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    if (is_array($answer) && str_starts_with($answer['type'] ?? '', '/problems/')) {
        throw new HoldfastError($answer);
    }
    return $answer;
}

/** Books as a visitor, with a session. Cancels as the business, with its secret key. */
function main(): void
{
    $businessKey = (string) getenv('HOLDFAST_BUSINESS_KEY');
    $session = call((string) getenv('HOLDFAST_PUBLISHABLE_KEY'), 'POST', '/session')['session_token'];

    $services = array_column(call($session, 'GET', '/services')['data'], null, 'name');
    $haircut = $services['Haircut'];
    $offer = ['service_id' => $haircut['id'], 'location_id' => $haircut['location_ids'][0]];
    $slot = call($session, 'GET', '/availability/soonest?' . http_build_query($offer));
    if ($slot === null) {
        throw new RuntimeException('Haircut has no free slot.');
    }

    $hold = call($session, 'POST', '/bookings/hold', [...$offer, 'starts_at' => $slot['starts_at']]);
    echo "Held: {$hold['starts_at']}, until {$hold['expires_at']}\n";

    $client = ['first_name' => 'Mary', 'last_name' => 'Jackson', 'email' => 'mary@example.com'];
    $booking = call($session, 'POST', '/bookings', ['hold_id' => $hold['hold_id'], 'client' => $client]);
    echo "Booked: {$booking['service']['name']} at {$booking['starts_at']}, {$booking['status']}\n";

    $cancelled = call($businessKey, 'DELETE', "/bookings/{$booking['id']}");
    echo "Cancelled: {$cancelled['service']['name']} at {$cancelled['starts_at']}, {$cancelled['status']}\n";
}

try {
    main();
} catch (RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
