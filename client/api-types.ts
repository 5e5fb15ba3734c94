/*
 * The types of the API, made from /openapi.json by `npm run build:client`. Do not edit them here.
 */

export interface paths {
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a publishable key for a session
         * @description A session token acts for one visitor of one business and ends after an hour. A new one with `X-Previous-Session` takes its holds and bookings over.
         *
         *     Keys: publishable.
         */
        post: operations["createSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List services
         * @description By name, a page at a time. Sessions see what is active, keys everything in their reach.
         *
         *     Keys: session, business, hub.
         */
        get: operations["listServices"];
        put?: never;
        /**
         * Add a service
         * @description It can be booked at once. A hub key names the business in `business_id`.
         *
         *     Keys: business, hub.
         */
        post: operations["createService"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one of the services
         * @description Also an inactive one: bookings name it.
         *
         *     Keys: session, business, hub.
         */
        get: operations["showService"];
        put?: never;
        post?: never;
        /**
         * Delete a service
         * @description It becomes inactive: nothing new can be booked on it, and bookings keep its name. Deleting it again changes nothing.
         *
         *     Keys: business, hub.
         */
        delete: operations["deleteService"];
        options?: never;
        head?: never;
        /**
         * Change a service
         * @description What is not named stays. Holds and bookings stay as they are. `active` true brings back what was deleted.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeService"];
        trace?: never;
    };
    "/api/v1/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List locations
         * @description By name, a page at a time. Sessions see what is active, keys everything in their reach.
         *
         *     Keys: session, business, hub.
         */
        get: operations["listLocations"];
        put?: never;
        /**
         * Add a location
         * @description It can be booked at once. A hub key names the business in `business_id`.
         *
         *     Keys: business, hub.
         */
        post: operations["createLocation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one of the locations
         * @description Also an inactive one: bookings name it.
         *
         *     Keys: session, business, hub.
         */
        get: operations["showLocation"];
        put?: never;
        post?: never;
        /**
         * Delete a location
         * @description It becomes inactive: nothing new can be booked on it, and bookings keep its name. Deleting it again changes nothing.
         *
         *     Keys: business, hub.
         */
        delete: operations["deleteLocation"];
        options?: never;
        head?: never;
        /**
         * Change a location
         * @description What is not named stays. Holds and bookings stay as they are. `active` true brings back what was deleted.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeLocation"];
        trace?: never;
    };
    "/api/v1/staff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List staff members
         * @description By name, a page at a time. Sessions see what is active, keys everything in their reach.
         *
         *     Keys: session, business, hub.
         */
        get: operations["listStaff"];
        put?: never;
        /**
         * Add a staff member
         * @description It can be booked at once. A hub key names the business in `business_id`.
         *
         *     Keys: business, hub.
         */
        post: operations["createStaffMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/staff/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one of the staff members
         * @description Also an inactive one: bookings name it.
         *
         *     Keys: session, business, hub.
         */
        get: operations["showStaffMember"];
        put?: never;
        post?: never;
        /**
         * Delete a staff member
         * @description It becomes inactive: nothing new can be booked on it, and bookings keep its name. Deleting it again changes nothing.
         *
         *     Keys: business, hub.
         */
        delete: operations["deleteStaffMember"];
        options?: never;
        head?: never;
        /**
         * Change a staff member
         * @description What is not named stays. Holds and bookings stay as they are. `active` true brings back what was deleted.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeStaffMember"];
        trace?: never;
    };
    "/api/v1/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List blocks
         * @description By their start, a page at a time.
         *
         *     Keys: business, hub.
         */
        get: operations["listBlocks"];
        put?: never;
        /**
         * Block a time
         * @description Nobody can book it at the location, or with the staff member. What is held or booked there already stays; the answer names the bookings.
         *
         *     Keys: business, hub.
         */
        post: operations["createBlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/blocks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a block
         * @description With the bookings that lie in its time now.
         *
         *     Keys: business, hub.
         */
        get: operations["showBlock"];
        put?: never;
        post?: never;
        /**
         * Delete a block
         * @description Its time can be booked again at once.
         *
         *     Keys: business, hub.
         */
        delete: operations["deleteBlock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/businesses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the businesses of the hub
         * @description By name, a page at a time.
         *
         *     Keys: hub.
         */
        get: operations["listBusinesses"];
        put?: never;
        /**
         * Add a business to the hub
         * @description It has the plan of the hub in effect. Its keys are issued afterwards.
         *
         *     Keys: hub.
         */
        post: operations["createBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/businesses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a business
         * @description A business key sees its own.
         *
         *     Keys: business, hub.
         */
        get: operations["showBusiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a business
         * @description Its name, time zone and brand; plans and limits are set by the operator of the server.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeBusiness"];
        trace?: never;
    };
    "/api/v1/businesses/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of a business
         * @description The newest first, revoked ones too. A key itself cannot be read again.
         *
         *     Keys: business, hub.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Issue a key for a business
         * @description Only this answer shows the key itself. An `Idempotency-Key` is ignored here: a secret is not kept for a repetition.
         *
         *     Keys: business, hub.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/businesses/{id}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description Within five seconds no server accepts it, nor the sessions of a publishable key. Revoking it again changes nothing.
         *
         *     Keys: business, hub.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show free slots
         * @description Every slot that the caller can hold at this moment, by local date. A slot that the session holds itself is among them, marked. Send the `ETag` back as `If-None-Match` to poll cheaply.
         *
         *     Keys: session, business, hub.
         */
        get: operations["showAvailability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/availability/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a slot is free or not
         * @description The reason for which a session would be refused at this moment; null when it could hold the slot.
         *
         *     Keys: session, business, hub.
         */
        get: operations["explainSlot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/availability/soonest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the next free slot
         * @description The next slot that the caller can hold within 366 days, or null.
         *
         *     Keys: session, business, hub.
         */
        get: operations["findSoonestSlot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold a slot
         * @description For ten minutes nobody else can hold or book the slot. A session that holds again for an overlapping time replaces its own hold in one step; when the new slot is refused, the old hold stays.
         *
         *     Keys: session, business, hub.
         */
        post: operations["placeHold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/hold/{hold_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a hold
         * @description A session sees its own holds, business and hub keys all in their reach.
         *
         *     Keys: session, business, hub.
         */
        get: operations["showHold"];
        put?: never;
        post?: never;
        /**
         * Release a hold
         * @description Its slot is free at once. A hold that has ended already stays as it is.
         *
         *     Keys: session, business, hub.
         */
        delete: operations["releaseHold"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List bookings
         * @description The newest first, a page at a time.
         *
         *     Keys: business, hub.
         */
        get: operations["listBookings"];
        put?: never;
        /**
         * Turn a hold into a booking
         * @description The booking is confirmed at once and has the id of the hold. A hold converts once. Its slot stays taken until the booking is cancelled. Where the service asks for a deposit, the booking is pending and has `redirect_url`, where the client pays: with the payment it is confirmed; without one it is cancelled when the checkout ends.
         *
         *     Keys: session, business, hub.
         */
        post: operations["createBooking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bookings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a booking
         * @description The session that made it, and business and hub keys, see all of it; others get it with `redacted` true.
         *
         *     Keys: publishable, session, business, hub.
         */
        get: operations["showBooking"];
        put?: never;
        post?: never;
        /**
         * Cancel a booking
         * @description Its slot is free at once. Cancelling again changes nothing, but for a refund that was not asked for before.
         *
         *     Keys: business, hub.
         */
        delete: operations["cancelBooking"];
        options?: never;
        head?: never;
        /**
         * Reschedule a booking, or change its status or notes
         * @description The old slot is free and the new one taken in one step; a conflict changes nothing. What makes no difference is no new version.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeBooking"];
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The newest first, a page at a time. A hub key sees those of its businesses too.
         *
         *     Keys: business, hub.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook
         * @description The answer shows the secret that signs its deliveries, for the only time. A business can have 20, and a hub 20 for all its businesses together.
         *
         *     Keys: business, hub.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a webhook
         * @description Keys: business, hub.
         */
        get: operations["showWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What still waits for it is dropped.
         *
         *     Keys: business, hub.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Disabled, nothing new is sent to it, and what still waits for it fails.
         *
         *     Keys: business, hub.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/api/v1/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description `X-Service-Signature` is made with the new one at once; for 24 hours `webhook-signature` verifies with either. Within them it cannot be replaced again.
         *
         *     Keys: business, hub.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what was sent to a webhook
         * @description The newest first, a page at a time, each delivery with its attempts. Kept for 30 days.
         *
         *     Keys: business, hub.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Whatever came of it: three more attempts, the first at once, with the same `webhook-id`.
         *
         *     Keys: business, hub.
         */
        post: operations["retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample to a webhook
         * @description A `booking.created` of no real booking, with the header `X-Service-Test: true`. It is sent to a disabled webhook too.
         *
         *     Keys: business, hub.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description The oldest first, a page at a time, with what receivers get of them. Kept for 30 days; `after` the last one that was seen, nothing is ever missed.
         *
         *     Keys: business, hub.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Session
         * @description A session token and the business that it acts for.
         * @example {
         *       "session_token": "cal_ses_ThisIsAnExampleAndOpensNothing00000000",
         *       "expires_at": "2026-11-20T11:00:00+01:00",
         *       "show_branding": false,
         *       "business": {
         *         "id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *         "name": "Salon Spree",
         *         "timezone": "Europe/Berlin",
         *         "brand_name": "Salon Spree",
         *         "brand_color": "#1f6f5c",
         *         "brand_logo_url": "https://example.com/salon-spree.png"
         *       }
         *     }
         */
        Session: {
            /** @description The bearer token of one visitor. Shown here only. */
            session_token: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            expires_at: string;
            /** @description Whether the page has to say that Holdfast serves it. */
            show_branding: boolean;
            business: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @description An IANA name. */
                timezone: string;
                /** @description Null unless the business is on Enterprise and has set it. */
                brand_name: string | null;
                /** @description Null unless the business is on Enterprise and has set it. */
                brand_color: string | null;
                /** @description Null unless the business is on Enterprise and has set it. */
                brand_logo_url: string | null;
            };
        };
        /**
         * Money
         * @description An amount in minor units of an ISO 4217 currency.
         * @example {
         *       "amount": 2500,
         *       "currency": "EUR"
         *     }
         */
        Money: {
            amount: number;
            currency: string;
        };
        /**
         * CustomField
         * @description A question that a service asks when it is booked.
         */
        CustomField: {
            /** Format: uuid */
            id: string;
            key: string;
            label: string;
            /** @enum {string} */
            type: "text" | "textarea" | "number" | "boolean" | "select" | "multi_select" | "date" | "email" | "phone" | "url";
            required: boolean;
            /** @description What `select` and `multi_select` offer. */
            options?: string[];
        };
        /**
         * Service
         * @description Something that can be booked.
         * @example {
         *       "id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "name": "Haircut",
         *       "description": null,
         *       "duration_minutes": 30,
         *       "buffer_before_minutes": 0,
         *       "buffer_after_minutes": 10,
         *       "slot_interval_minutes": 15,
         *       "min_notice_minutes": 0,
         *       "max_advance_days": null,
         *       "capacity": 1,
         *       "price": {
         *         "amount": 3500,
         *         "currency": "EUR"
         *       },
         *       "deposit": null,
         *       "location_ids": [
         *         "fc3de050-a368-8344-b985-f90b13bae9e6"
         *       ],
         *       "staff_ids": [
         *         "93fa21da-6815-8fc2-b29b-fd569494e82d"
         *       ],
         *       "custom_fields": [],
         *       "active": true
         *     }
         */
        Service: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            business_id: string;
            name: string;
            description: string | null;
            duration_minutes: number;
            buffer_before_minutes: number;
            buffer_after_minutes: number;
            /** @description The grid on which slots start. */
            slot_interval_minutes: number;
            min_notice_minutes: number;
            /** @description Null: no limit. */
            max_advance_days: number | null;
            /** @description Without staff: how many clients at once at one location. With staff: how many share one appointment. */
            capacity: number;
            price: components["schemas"]["Money"] | null;
            deposit: components["schemas"]["Money"] | null;
            location_ids: string[];
            /** @description Who gives it; empty: it needs nobody. */
            staff_ids: string[];
            custom_fields: components["schemas"]["CustomField"][];
            /** @description An inactive one cannot be booked any more. */
            active: boolean;
        };
        /**
         * ServicePage
         * @description Services by name.
         */
        ServicePage: {
            data: components["schemas"]["Service"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * CreateService
         * @description A new service. What is absent gets its default.
         * @example {
         *       "name": "Massage",
         *       "duration_minutes": 45,
         *       "buffer_after_minutes": 15,
         *       "price": {
         *         "amount": 6000,
         *         "currency": "EUR"
         *       },
         *       "location_ids": [
         *         "fc3de050-a368-8344-b985-f90b13bae9e6"
         *       ],
         *       "staff_ids": [
         *         "93fa21da-6815-8fc2-b29b-fd569494e82d"
         *       ]
         *     }
         */
        CreateService: {
            /**
             * Format: uuid
             * @description For hub keys, which need it: whose it is.
             */
            business_id?: string;
            name: string;
            description?: string;
            duration_minutes: number;
            /** @description Time before each booking in which nothing else can be. */
            buffer_before_minutes?: number;
            /** @description Time after each booking in which nothing else can be. */
            buffer_after_minutes?: number;
            /** @description The grid on which slots start; if absent: the duration, but at least 5. */
            slot_interval_minutes?: number;
            /** @description How long before its start a slot can be booked at the latest. */
            min_notice_minutes?: number;
            /** @description Without staff: how many clients at once at one location. With staff: how many share one appointment. */
            capacity?: number;
            /** @description How many days ahead it can be booked; if absent: no limit. */
            max_advance_days?: number;
            /**
             * @description In minor units: 2500 EUR is 25.00 euros.
             * @example {
             *       "amount": 2500,
             *       "currency": "EUR"
             *     }
             */
            price?: {
                amount: number;
                currency: string;
            };
            /**
             * @description What is paid in advance: at most the price, and in its currency, where there is one.
             * @example {
             *       "amount": 2500,
             *       "currency": "EUR"
             *     }
             */
            deposit?: {
                amount: number;
                currency: string;
            };
            /** @description Where it is given. */
            location_ids: string[];
            /** @description Who gives it; empty: it needs nobody. */
            staff_ids?: string[];
            /** @description What is asked when the service is booked. */
            custom_fields?: {
                /** @description Its name for programs: unique in the service. */
                key: string;
                label: string;
                /** @enum {string} */
                type: "text" | "textarea" | "number" | "boolean" | "select" | "multi_select" | "date" | "email" | "phone" | "url";
                /** @description Whether a booking needs an answer; if absent: no. */
                required?: boolean;
                /** @description For `select` and `multi_select`, and only there: what may be chosen. */
                options?: string[];
            }[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
        };
        /**
         * ChangeService
         * @description What is to be different; lists are replaced as a whole.
         * @example {
         *       "duration_minutes": 60
         *     }
         */
        ChangeService: {
            name?: string;
            /** @description Null clears it. */
            description?: string | null;
            duration_minutes?: number;
            /** @description Time before each booking in which nothing else can be. */
            buffer_before_minutes?: number;
            /** @description Time after each booking in which nothing else can be. */
            buffer_after_minutes?: number;
            /** @description The grid on which slots start; if absent: the duration, but at least 5. */
            slot_interval_minutes?: number;
            /** @description How long before its start a slot can be booked at the latest. */
            min_notice_minutes?: number;
            /** @description Without staff: how many clients at once at one location. With staff: how many share one appointment. */
            capacity?: number;
            /** @description How many days ahead it can be booked; if absent: no limit. Null clears it. */
            max_advance_days?: number | null;
            /**
             * @description In minor units: 2500 EUR is 25.00 euros. Null clears it.
             * @example {
             *       "amount": 2500,
             *       "currency": "EUR"
             *     }
             */
            price?: {
                amount: number;
                currency: string;
            } | null;
            /**
             * @description What is paid in advance: at most the price, and in its currency, where there is one. Null clears it.
             * @example {
             *       "amount": 2500,
             *       "currency": "EUR"
             *     }
             */
            deposit?: {
                amount: number;
                currency: string;
            } | null;
            /** @description Where it is given. */
            location_ids?: string[];
            /** @description Who gives it; empty: it needs nobody. */
            staff_ids?: string[];
            /** @description What is asked when the service is booked. */
            custom_fields?: {
                /**
                 * Format: uuid
                 * @description Of a field that is to stay the same, so that past answers keep theirs.
                 */
                id?: string;
                /** @description Its name for programs: unique in the service. */
                key: string;
                label: string;
                /** @enum {string} */
                type: "text" | "textarea" | "number" | "boolean" | "select" | "multi_select" | "date" | "email" | "phone" | "url";
                /** @description Whether a booking needs an answer; if absent: no. */
                required?: boolean;
                /** @description For `select` and `multi_select`, and only there: what may be chosen. */
                options?: string[];
            }[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
        };
        /**
         * WeeklyHours
         * @description Opening hours in wall time. `closes` goes up to `24:00`; at or before `opens` it runs past midnight.
         * @example [
         *       {
         *         "weekday": "monday",
         *         "opens": "09:00",
         *         "closes": "18:00"
         *       }
         *     ]
         */
        WeeklyHours: {
            weekday: string;
            opens: string;
            closes: string;
        }[];
        /**
         * DateOverrides
         * @description Hours of single dates in place of the weekly ones; none means closed.
         * @example [
         *       {
         *         "date": "2026-12-24",
         *         "hours": [
         *           {
         *             "opens": "09:00",
         *             "closes": "12:00"
         *           }
         *         ]
         *       }
         *     ]
         */
        DateOverrides: {
            /** Format: date */
            date: string;
            hours: {
                opens: string;
                closes: string;
            }[];
        }[];
        /**
         * Location
         * @description Where services are given.
         * @example {
         *       "id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "name": "Mitte",
         *       "timezone": "Europe/Berlin",
         *       "address": null,
         *       "weekly_hours": [
         *         {
         *           "weekday": "monday",
         *           "opens": "09:00",
         *           "closes": "18:00"
         *         }
         *       ],
         *       "date_overrides": [],
         *       "active": true
         *     }
         */
        Location: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            business_id: string;
            name: string;
            /** @description An IANA name. */
            timezone: string;
            address: string | null;
            /** @description Null: always open. Empty: never. */
            weekly_hours: components["schemas"]["WeeklyHours"] | null;
            date_overrides: components["schemas"]["DateOverrides"];
            active: boolean;
        };
        /**
         * LocationPage
         * @description Locations by name.
         */
        LocationPage: {
            data: components["schemas"]["Location"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * CreateLocation
         * @description A new location. Without a time zone it has the business's, without weekly hours it is always open.
         * @example {
         *       "name": "Mitte",
         *       "timezone": "Europe/Berlin",
         *       "weekly_hours": [
         *         {
         *           "weekday": "monday",
         *           "opens": "09:00",
         *           "closes": "18:00"
         *         }
         *       ],
         *       "date_overrides": [
         *         {
         *           "date": "2026-12-24",
         *           "hours": []
         *         }
         *       ]
         *     }
         */
        CreateLocation: {
            /**
             * Format: uuid
             * @description For hub keys, which need it: whose it is.
             */
            business_id?: string;
            name: string;
            /** @description An IANA name, such as Europe/Berlin. */
            timezone?: string;
            address?: string;
            /** @description Hours in wall time, which must not overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never. */
            weekly_hours?: {
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @example 09:00 */
                opens: string;
                /** @example 17:00 */
                closes: string;
            }[];
            /** @description Hours of single dates in place of the weekly ones, each date once; no hours: closed that day. */
            date_overrides?: {
                /** @example 2026-12-24 */
                date: string;
                hours: {
                    /** @example 09:00 */
                    opens: string;
                    /** @example 17:00 */
                    closes: string;
                }[];
            }[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
        };
        /**
         * ChangeLocation
         * @description What is to be different; holds and bookings stay as they are.
         * @example {
         *       "weekly_hours": null
         *     }
         */
        ChangeLocation: {
            name?: string;
            /** @description An IANA name, such as Europe/Berlin. */
            timezone?: string;
            /** @description Null clears it. */
            address?: string | null;
            /** @description Hours in wall time, which must not overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never. Null clears it. */
            weekly_hours?: {
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @example 09:00 */
                opens: string;
                /** @example 17:00 */
                closes: string;
            }[] | null;
            /** @description Hours of single dates in place of the weekly ones, each date once; no hours: closed that day. */
            date_overrides?: {
                /** @example 2026-12-24 */
                date: string;
                hours: {
                    /** @example 09:00 */
                    opens: string;
                    /** @example 17:00 */
                    closes: string;
                }[];
            }[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
        };
        /**
         * StaffMember
         * @description Somebody who gives services. A session token is shown `id` and `name` only.
         * @example {
         *       "id": "93fa21da-6815-8fc2-b29b-fd569494e82d",
         *       "name": "Anna Weber",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "email": "anna@example.com",
         *       "location_ids": [],
         *       "weekly_hours": null,
         *       "date_overrides": [],
         *       "active": true
         *     }
         */
        StaffMember: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: uuid */
            business_id?: string;
            email?: string | null;
            /** @description Empty: everywhere. */
            location_ids?: string[];
            /** @description Null: the hours of the location. */
            weekly_hours?: components["schemas"]["WeeklyHours"] | null;
            date_overrides?: components["schemas"]["DateOverrides"];
            active?: boolean;
        };
        /**
         * StaffPage
         * @description Staff members by name.
         */
        StaffPage: {
            data: components["schemas"]["StaffMember"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * CreateStaffMember
         * @description A new staff member. Without weekly hours they work whenever the location is open.
         * @example {
         *       "name": "Anna Weber",
         *       "email": "anna@example.com",
         *       "location_ids": [
         *         "fc3de050-a368-8344-b985-f90b13bae9e6"
         *       ]
         *     }
         */
        CreateStaffMember: {
            /**
             * Format: uuid
             * @description For hub keys, which need it: whose it is.
             */
            business_id?: string;
            name: string;
            /** Format: email */
            email?: string;
            /** @description Hours in wall time, which must not overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never. */
            weekly_hours?: {
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @example 09:00 */
                opens: string;
                /** @example 17:00 */
                closes: string;
            }[];
            /** @description Hours of single dates in place of the weekly ones, each date once; no hours: closed that day. */
            date_overrides?: {
                /** @example 2026-12-24 */
                date: string;
                hours: {
                    /** @example 09:00 */
                    opens: string;
                    /** @example 17:00 */
                    closes: string;
                }[];
            }[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
            /** @description Where they work; empty: everywhere. */
            location_ids?: string[];
        };
        /**
         * ChangeStaffMember
         * @description What is to be different; holds and bookings stay as they are.
         * @example {
         *       "email": null
         *     }
         */
        ChangeStaffMember: {
            name?: string;
            /**
             * Format: email
             * @description Null clears it.
             */
            email?: string | null;
            /** @description Hours in wall time, which must not overlap. `closes` goes up to `24:00`; at or before `opens` it runs past midnight. An empty list: never. Null clears it. */
            weekly_hours?: {
                /** @enum {string} */
                weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
                /** @example 09:00 */
                opens: string;
                /** @example 17:00 */
                closes: string;
            }[] | null;
            /** @description Hours of single dates in place of the weekly ones, each date once; no hours: closed that day. */
            date_overrides?: {
                /** @example 2026-12-24 */
                date: string;
                hours: {
                    /** @example 09:00 */
                    opens: string;
                    /** @example 17:00 */
                    closes: string;
                }[];
            }[];
            /** @description Where they work; empty: everywhere. */
            location_ids?: string[];
            /** @description False takes it off the offer, as deleting does; true brings it back. */
            active?: boolean;
        };
        /**
         * CreateBlock
         * @description A time that nobody can book, of a location or of a staff member.
         * @example {
         *       "staff_id": "93fa21da-6815-8fc2-b29b-fd569494e82d",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "reason": "At the dentist"
         *     }
         */
        CreateBlock: {
            /**
             * Format: uuid
             * @description The location that is blocked.
             */
            location_id?: string;
            /**
             * Format: uuid
             * @description The staff member who is away. Either this or `location_id`.
             */
            staff_id?: string;
            /**
             * Format: date-time
             * @description With an offset or `Z`; fractions of a second are cut off.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description With an offset or `Z`; fractions of a second are cut off.
             */
            ends_at: string;
            reason?: string;
        };
        /**
         * BlockWithConflicts
         * @description A block, and the bookings that lie in its time.
         * @example {
         *       "id": "01a1fa68-3c51-7d0e-9b7a-5e2f60a1c9d4",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "location_id": null,
         *       "staff_id": "93fa21da-6815-8fc2-b29b-fd569494e82d",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "reason": "At the dentist",
         *       "created_at": "2026-11-20T10:00:00+01:00",
         *       "conflicting_booking_ids": [
         *         "01a1fa68-2f8d-7aba-8613-821934a98a29"
         *       ]
         *     }
         */
        BlockWithConflicts: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            business_id: string;
            /** Format: uuid */
            location_id: string | null;
            /** Format: uuid */
            staff_id: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            reason: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
            /** @description Bookings in this time, by their start; they stay. At most 1000. */
            conflicting_booking_ids: string[];
        };
        /**
         * Block
         * @description A time that nobody can book.
         * @example {
         *       "id": "01a1fa68-3c51-7d0e-9b7a-5e2f60a1c9d4",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "location_id": null,
         *       "staff_id": "93fa21da-6815-8fc2-b29b-fd569494e82d",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "reason": "At the dentist",
         *       "created_at": "2026-11-20T10:00:00+01:00"
         *     }
         */
        Block: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            business_id: string;
            /** Format: uuid */
            location_id: string | null;
            /** Format: uuid */
            staff_id: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            reason: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
        };
        /**
         * BlockPage
         * @description Blocks by their start.
         */
        BlockPage: {
            data: components["schemas"]["Block"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * Business
         * @description One who offers services.
         * @example {
         *       "id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "hub_id": null,
         *       "name": "Salon Spree",
         *       "timezone": "Europe/Berlin",
         *       "plan": "enterprise",
         *       "brand_name": "Salon Spree",
         *       "brand_color": "#1f6f5c",
         *       "brand_logo_url": "https://example.com/salon-spree.png",
         *       "created_at": "2026-11-20T10:00:00+01:00"
         *     }
         */
        Business: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null: it is in no hub.
             */
            hub_id: string | null;
            name: string;
            /** @description An IANA name. */
            timezone: string;
            /**
             * @description The plan in effect: the higher of its own and that of its hub. Only the operator changes plans.
             * @enum {string}
             */
            plan: "growth" | "pro" | "enterprise";
            brand_name: string | null;
            brand_color: string | null;
            brand_logo_url: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
        };
        /**
         * BusinessPage
         * @description Businesses by name.
         */
        BusinessPage: {
            data: components["schemas"]["Business"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * CreateBusiness
         * @description A new business of the hub.
         * @example {
         *       "name": "Salon Spree",
         *       "timezone": "Europe/Berlin"
         *     }
         */
        CreateBusiness: {
            name: string;
            /** @description An IANA name, such as Europe/Berlin. */
            timezone: string;
            brand_name?: string;
            /** @description Such as #1a2b3c. */
            brand_color?: string;
            /** @description An http or https address. */
            brand_logo_url?: string;
        };
        /**
         * ChangeBusiness
         * @description What is to be different. Its locations keep their time zones.
         * @example {
         *       "brand_name": "Spree",
         *       "brand_color": "#1a2b3c"
         *     }
         */
        ChangeBusiness: {
            name?: string;
            /** @description An IANA name, such as Europe/Berlin. */
            timezone?: string;
            /** @description Null clears it. */
            brand_name?: string | null;
            /** @description Such as #1a2b3c. Null clears it. */
            brand_color?: string | null;
            /** @description An http or https address. Null clears it. */
            brand_logo_url?: string | null;
        };
        /**
         * Key
         * @description What may be known of a key: never the key itself.
         * @example {
         *       "id": "01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa",
         *       "type": "publishable",
         *       "last_four": "0000",
         *       "allowed_origins": [
         *         "https://www.example.com"
         *       ],
         *       "created_at": "2026-11-20T10:00:00+01:00",
         *       "revoked_at": null
         *     }
         */
        Key: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "business" | "publishable";
            /** @description The last four characters of the key. */
            last_four: string;
            /** @description Null: any. */
            allowed_origins: string[] | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: it is in force.
             */
            revoked_at: string | null;
        };
        /**
         * KeyPage
         * @description Keys, the newest first.
         */
        KeyPage: {
            data: components["schemas"]["Key"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * CreateKey
         * @description What the key is for.
         * @example {
         *       "type": "publishable",
         *       "allowed_origins": [
         *         "https://www.example.com"
         *       ]
         *     }
         */
        CreateKey: {
            /** @enum {string} */
            type: "business" | "publishable";
            /** @description For publishable keys: the websites that may use it, such as https://www.example.com. Absent: any. */
            allowed_origins?: string[];
        };
        /**
         * IssuedKey
         * @description A new key.
         * @example {
         *       "id": "01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa",
         *       "type": "publishable",
         *       "last_four": "0000",
         *       "allowed_origins": [
         *         "https://www.example.com"
         *       ],
         *       "created_at": "2026-11-20T10:00:00+01:00",
         *       "revoked_at": null,
         *       "key": "cal_pub_ThisIsAnExampleAndOpensNothing00000000"
         *     }
         */
        IssuedKey: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            type: "business" | "publishable";
            /** @description The last four characters of the key. */
            last_four: string;
            /** @description Null: any. */
            allowed_origins: string[] | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: it is in force.
             */
            revoked_at: string | null;
            /** @description The key itself. Shown here only. */
            key: string;
        };
        /**
         * Slot
         * @description A slot that the caller can hold at this moment.
         * @example {
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "staff_ids": [
         *         "93fa21da-6815-8fc2-b29b-fd569494e82d"
         *       ],
         *       "seats_left": 1
         *     }
         */
        Slot: {
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            /** @description Who is free then; empty for a service without staff. */
            staff_ids: string[];
            /** @description Seats that are free for the whole slot. */
            seats_left: number;
            /**
             * @description The session holds this very slot; others do not see it.
             * @constant
             */
            held_by_you?: true;
        };
        /**
         * Availability
         * @description What can be held at this moment. Every date that was asked for is there.
         * @example {
         *       "service_id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *       "location_id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *       "timezone": "Europe/Berlin",
         *       "days": [
         *         {
         *           "date": "2026-12-01",
         *           "slots": [
         *             {
         *               "starts_at": "2026-12-01T10:00:00+01:00",
         *               "ends_at": "2026-12-01T10:30:00+01:00",
         *               "staff_ids": [
         *                 "93fa21da-6815-8fc2-b29b-fd569494e82d"
         *               ],
         *               "seats_left": 1
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        Availability: {
            /** Format: uuid */
            service_id: string;
            /** Format: uuid */
            location_id: string;
            /** @description Of the location; dates and times are in it. */
            timezone: string;
            days: {
                /** Format: date */
                date: string;
                slots: components["schemas"]["Slot"][];
            }[];
        };
        /**
         * Explanation
         * @description Whether a session could hold the slot at this moment; if not, the reason for which it is refused.
         * @example {
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "offered": false,
         *       "reason": "outside_hours"
         *     }
         */
        Explanation: {
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            offered: boolean;
            reason: ("in_the_past" | "too_soon" | "beyond_horizon" | "outside_hours" | "blocked" | "not_on_grid" | "not_offered_here" | "staff_not_available" | "slot_held" | "slot_booked") | null;
        };
        /**
         * PlaceHold
         * @description The slot to hold. With `staff_id` that person or nobody, without it whoever is free and has the fewest bookings that day.
         * @example {
         *       "service_id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *       "location_id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *       "starts_at": "2026-12-01T10:00:00+01:00"
         *     }
         */
        PlaceHold: {
            /** Format: uuid */
            service_id: string;
            /** Format: uuid */
            location_id: string;
            /** Format: uuid */
            staff_id?: string;
            /**
             * Format: date-time
             * @description With an offset or `Z`; fractions of a second are cut off.
             */
            starts_at: string;
        };
        /**
         * Hold
         * @description A slot that nobody else can hold or book until `expires_at`.
         * @example {
         *       "hold_id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "service_id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *       "location_id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "expires_at": "2026-11-20T10:10:00+01:00"
         *     }
         */
        Hold: {
            /** Format: uuid */
            hold_id: string;
            /** Format: uuid */
            service_id: string;
            /** Format: uuid */
            location_id: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            expires_at: string;
        };
        /**
         * HoldWithStatus
         * @description A hold and what has become of it. It can be read for a day after its end.
         * @example {
         *       "hold_id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "service_id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *       "location_id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "expires_at": "2026-11-20T10:10:00+01:00",
         *       "status": "active"
         *     }
         */
        HoldWithStatus: {
            /** Format: uuid */
            hold_id: string;
            /** Format: uuid */
            service_id: string;
            /** Format: uuid */
            location_id: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            expires_at: string;
            /** @enum {string} */
            status: "active" | "expired" | "converted" | "released";
        };
        /**
         * FieldValue
         * @description The answer to a custom field: a text, a number, true or false, or for `multi_select` a list of texts.
         */
        FieldValue: string | number | boolean | string[];
        /**
         * ConvertHold
         * @description The hold to convert, and for whom.
         * @example {
         *       "hold_id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "client": {
         *         "first_name": "Ada",
         *         "last_name": "Lovelace",
         *         "email": "ada@example.com",
         *         "phone": "+49 30 1234567"
         *       }
         *     }
         */
        ConvertHold: {
            /** Format: uuid */
            hold_id: string;
            client: {
                first_name: string;
                last_name: string;
                /** Format: email */
                email: string;
                phone?: string;
            };
            /** @description Answers to the custom fields of the service, each at most once. */
            custom_field_values?: {
                /** Format: uuid */
                field_id: string;
                value?: components["schemas"]["FieldValue"];
            }[];
            notes?: string;
        };
        /**
         * BookingStatus
         * @enum {string}
         */
        BookingStatus: "pending" | "confirmed" | "in_progress" | "completed" | "cancelled";
        /**
         * Payment
         * @description The deposit of a booking: shown to business and hub keys, where there is one.
         */
        Payment: {
            /**
             * @description `expired`: nothing was paid, and nothing is due any more. `refunded`: the payment processor has given it back.
             * @enum {string}
             */
            status: "due" | "paid" | "expired" | "refunded";
            /** @description In minor units: 2500 EUR is 25.00 euros. */
            amount: number;
            currency: string;
            /** @enum {string} */
            provider: "stripe" | "sandbox";
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            paid_at: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            refunded_at: string | null;
        };
        /**
         * Booking
         * @description A booking. Its id is that of the hold that it was made from.
         * @example {
         *       "id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "status": "confirmed",
         *       "starts_at": "2026-12-01T10:00:00+01:00",
         *       "ends_at": "2026-12-01T10:30:00+01:00",
         *       "notes": null,
         *       "cancelled_at": null,
         *       "service": {
         *         "id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *         "name": "Haircut",
         *         "duration_minutes": 30
         *       },
         *       "location": {
         *         "id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *         "name": "Online",
         *         "timezone": "Europe/Berlin"
         *       },
         *       "client": {
         *         "first_name": "Ada",
         *         "last_name": "Lovelace",
         *         "email": "ada@example.com",
         *         "phone": "+49 30 1234567"
         *       },
         *       "staff": {
         *         "id": "93fa21da-6815-8fc2-b29b-fd569494e82d",
         *         "name": "Anna Weber"
         *       },
         *       "custom_field_values": [],
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "created_at": "2026-11-20T10:00:00+01:00",
         *       "updated_at": "2026-11-20T10:00:00+01:00"
         *     }
         */
        Booking: {
            /** Format: uuid */
            id: string;
            status: components["schemas"]["BookingStatus"];
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            starts_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            ends_at: string;
            notes: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            cancelled_at: string | null;
            service: {
                /** Format: uuid */
                id: string;
                name: string;
                duration_minutes: number;
            };
            location: {
                /** Format: uuid */
                id: string;
                name: string;
                /** @description An IANA name. */
                timezone: string;
            };
            client: {
                first_name: string;
                last_name: string;
                email: string;
                phone: string | null;
            };
            /** @description Null when the service needs nobody. */
            staff: {
                /** Format: uuid */
                id: string;
                name: string;
            } | null;
            custom_field_values: {
                /** Format: uuid */
                field_id: string;
                value: components["schemas"]["FieldValue"];
            }[];
            /** Format: uuid */
            business_id: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            updated_at: string;
            payment?: components["schemas"]["Payment"];
            /** @description In the answer to the creation, when the service asks for a deposit: where the client pays it. */
            redirect_url?: string;
            /**
             * @description Present when the caller may not see the client: `client` is masked, `notes` null, `custom_field_values` empty.
             * @constant
             */
            redacted?: true;
        };
        /**
         * BookingPage
         * @description Bookings, the newest first.
         */
        BookingPage: {
            data: components["schemas"]["Booking"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ChangeBooking
         * @description What is to be different. With `starts_at` alone the duration stays. A status other than `cancelled` takes the slot of a cancelled booking again.
         * @example {
         *       "starts_at": "2026-12-02T10:00:00+01:00"
         *     }
         */
        ChangeBooking: {
            /**
             * Format: date-time
             * @description With an offset or `Z`; fractions of a second are cut off.
             */
            starts_at?: string;
            /**
             * Format: date-time
             * @description With an offset or `Z`; fractions of a second are cut off.
             */
            ends_at?: string;
            status?: components["schemas"]["BookingStatus"];
            /** @description Null clears it. */
            notes?: string | null;
        };
        /**
         * EventName
         * @enum {string}
         */
        EventName: "booking.created" | "booking.updated" | "booking.cancelled" | "booking.completed";
        /**
         * CreateWebhook
         * @description Where to send which events.
         * @example {
         *       "url": "https://example.com/hooks",
         *       "events": [
         *         "booking.created",
         *         "booking.cancelled"
         *       ]
         *     }
         */
        CreateWebhook: {
            /** @description http or https, without user info and fragment. In production https alone, and no address of an inner network. */
            url: string;
            /** @description What is sent to it. */
            events: components["schemas"]["EventName"][];
            description?: string;
            /**
             * Format: uuid
             * @description For hub keys: one business of the hub. Absent: the whole hub.
             */
            business_id?: string;
        };
        /**
         * WebhookStatus
         * @enum {string}
         */
        WebhookStatus: "active" | "disabled";
        /**
         * WebhookWithSecret
         * @description A webhook and its new secret.
         * @example {
         *       "id": "01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "url": "https://example.com/hooks",
         *       "events": [
         *         "booking.created",
         *         "booking.cancelled"
         *       ],
         *       "description": null,
         *       "status": "active",
         *       "created_at": "2026-11-20T10:00:00+01:00",
         *       "secret": "whsec_VGhpcyBpcyBhbiBleGFtcGxlOyBpdCBzaWducyBub3QuLi4="
         *     }
         */
        WebhookWithSecret: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null when it is for the whole hub.
             */
            business_id: string | null;
            url: string;
            events: components["schemas"]["EventName"][];
            description: string | null;
            status: components["schemas"]["WebhookStatus"];
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
            /** @description Signs what is sent. Shown here only; whoever loses it has it replaced by a new one. */
            secret: string;
        };
        /**
         * Webhook
         * @description Where events are sent.
         * @example {
         *       "id": "01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "url": "https://example.com/hooks",
         *       "events": [
         *         "booking.created",
         *         "booking.cancelled"
         *       ],
         *       "description": null,
         *       "status": "active",
         *       "created_at": "2026-11-20T10:00:00+01:00"
         *     }
         */
        Webhook: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Null when it is for the whole hub.
             */
            business_id: string | null;
            url: string;
            events: components["schemas"]["EventName"][];
            description: string | null;
            status: components["schemas"]["WebhookStatus"];
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
        };
        /**
         * WebhookPage
         * @description Webhooks, the newest first.
         */
        WebhookPage: {
            data: components["schemas"]["Webhook"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ChangeWebhook
         * @description What is to change. Disabled, nothing is sent to it.
         * @example {
         *       "status": "disabled"
         *     }
         */
        ChangeWebhook: {
            /** @description http or https, without user info and fragment. In production https alone, and no address of an inner network. */
            url?: string;
            /** @description What is sent to it. */
            events?: components["schemas"]["EventName"][];
            description?: string | null;
            status?: components["schemas"]["WebhookStatus"];
        };
        /**
         * DeliveryStatus
         * @enum {string}
         */
        DeliveryStatus: "pending" | "succeeded" | "failed";
        /**
         * AttemptError
         * @enum {string}
         */
        AttemptError: "timeout" | "status_not_2xx" | "redirect_not_followed" | "address_not_allowed" | "dns_failed" | "connection_refused" | "connection_reset" | "connection_failed" | "certificate_rejected" | "invalid_response";
        /**
         * Delivery
         * @description One event on its way to one webhook.
         * @example {
         *       "id": "01a1fa68-2f8d-8d14-b6a0-94c2f7e13d00",
         *       "event_id": "01a1fa68-2f8d-7d14-b6a0-94c2f7e13d58",
         *       "event": "booking.created",
         *       "booking_id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "status": "succeeded",
         *       "attempts": [
         *         {
         *           "number": 1,
         *           "at": "2026-11-20T10:00:00+01:00",
         *           "duration_ms": 42,
         *           "response_status": 200,
         *           "error": null
         *         }
         *       ],
         *       "next_attempt_at": null,
         *       "created_at": "2026-11-20T10:00:00+01:00"
         *     }
         */
        Delivery: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The `webhook-id` that the receiver gets.
             */
            event_id: string;
            event: components["schemas"]["EventName"];
            /** Format: uuid */
            booking_id: string;
            status: components["schemas"]["DeliveryStatus"];
            /** @description The oldest first. */
            attempts: {
                number: number;
                /**
                 * Format: date-time
                 * @description Whole seconds, with the offset of its zone.
                 */
                at: string;
                duration_ms: number;
                /** @description Null when no status came. */
                response_status: number | null;
                /** @description Null when it succeeded. `timeout`: no full answer within 10 seconds; `status_not_2xx`: another status than 2xx; `redirect_not_followed`: a redirect; `address_not_allowed`: an address of an inner network; `dns_failed`: the name has no address; `connection_refused`: nobody listens there; `connection_reset`: the connection was lost; `connection_failed`: no connection could be made; `certificate_rejected`: the certificate cannot be trusted; `invalid_response`: the answer is not HTTP. */
                error: components["schemas"]["AttemptError"] | null;
            }[];
            /**
             * Format: date-time
             * @description Null once it is not pending.
             */
            next_attempt_at: string | null;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            created_at: string;
        };
        /**
         * DeliveryPage
         * @description Deliveries, the newest first.
         */
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * EventBody
         * @description What receivers get as the body of a delivery.
         */
        EventBody: {
            event: components["schemas"]["EventName"];
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            timestamp: string;
            data: {
                /**
                 * Format: uuid
                 * @description The booking.
                 */
                id: string;
                status: string;
                service: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
                client: {
                    first_name: string;
                    last_name: string;
                    email: string;
                };
                /**
                 * Format: date-time
                 * @description Whole seconds, with the offset of its zone.
                 */
                starts_at: string;
                /**
                 * Format: date-time
                 * @description Whole seconds, with the offset of its zone.
                 */
                ends_at: string;
                location: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
            };
        };
        /**
         * Event
         * @description What happened to a booking.
         * @example {
         *       "id": "01a1fa68-2f8d-7d14-b6a0-94c2f7e13d58",
         *       "type": "booking.created",
         *       "booking_id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *       "business_id": "27b9f42d-b714-8810-8587-3a3a57b20f37",
         *       "occurred_at": "2026-11-20T10:00:00+01:00",
         *       "payload": {
         *         "event": "booking.created",
         *         "timestamp": "2026-11-20T10:00:00+01:00",
         *         "data": {
         *           "id": "01a1fa68-2f8d-7aba-8613-821934a98a29",
         *           "status": "confirmed",
         *           "service": {
         *             "id": "8722dbeb-7f09-8993-9751-bd3a10e37d26",
         *             "name": "Haircut"
         *           },
         *           "client": {
         *             "first_name": "Ada",
         *             "last_name": "Lovelace",
         *             "email": "ada@example.com"
         *           },
         *           "starts_at": "2026-12-01T10:00:00+01:00",
         *           "ends_at": "2026-12-01T10:30:00+01:00",
         *           "location": {
         *             "id": "fc3de050-a368-8344-b985-f90b13bae9e6",
         *             "name": "Online"
         *           }
         *         }
         *       }
         *     }
         */
        Event: {
            /**
             * Format: uuid
             * @description The `webhook-id` of its deliveries.
             */
            id: string;
            type: components["schemas"]["EventName"];
            /** Format: uuid */
            booking_id: string;
            /** Format: uuid */
            business_id: string;
            /**
             * Format: date-time
             * @description Whole seconds, with the offset of its zone.
             */
            occurred_at: string;
            payload: components["schemas"]["EventBody"];
        };
        /**
         * EventPage
         * @description Events, the oldest first.
         */
        EventPage: {
            data: components["schemas"]["Event"][];
            /** @description For `cursor`; null on the last page. */
            next_cursor: string | null;
        };
        /**
         * ValidationFailedProblem
         * @description The request has faults: fields of the body or the query are missing, unknown or wrong.
         */
        ValidationFailedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/validation_failed";
            title: string;
            /** @constant */
            status: 422;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "validation_failed";
            request_id: string;
            /** @description Every fault of the request, at most 100. */
            errors: {
                /** @description Where it is: a JSON pointer (RFC 6901). */
                pointer: string;
                /** @enum {string} */
                code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "too_short" | "too_long" | "too_few" | "too_many" | "not_allowed" | "out_of_range" | "wrong_length" | "wrong_value" | "repeated" | "overlap" | "unknown_reference" | "invalid_cursor" | "invalid";
                /** @description What to do about it, for people. */
                detail: string;
            }[];
        };
        /**
         * InternalProblem
         * @description Something went wrong on our side: a mistake in Holdfast.
         */
        InternalProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/internal";
            title: string;
            /** @constant */
            status: 500;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "internal";
            request_id: string;
        };
        /**
         * NotFoundProblem
         * @description Not found: there is nothing at this address or with this id, or it belongs to another business. The two cannot be told apart. An id that is no UUID is 404 in a path.
         */
        NotFoundProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/not_found";
            title: string;
            /** @constant */
            status: 404;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "not_found";
            request_id: string;
        };
        /**
         * MalformedJsonProblem
         * @description The body is not valid JSON: the body is not JSON in UTF-8, is nested deeper than 20 levels, or has a key such as `__proto__`.
         */
        MalformedJsonProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/malformed_json";
            title: string;
            /** @constant */
            status: 400;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "malformed_json";
            request_id: string;
        };
        /**
         * PayloadTooLargeProblem
         * @description The body is too large: the body has more than 65536 bytes.
         */
        PayloadTooLargeProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/payload_too_large";
            title: string;
            /** @constant */
            status: 413;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "payload_too_large";
            request_id: string;
        };
        /**
         * UnsupportedMediaTypeProblem
         * @description The body must be JSON: there is a body, and its `Content-Type` is not `application/json`.
         */
        UnsupportedMediaTypeProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/unsupported_media_type";
            title: string;
            /** @constant */
            status: 415;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "unsupported_media_type";
            request_id: string;
        };
        /**
         * MalformedRequestProblem
         * @description The request is not valid HTTP: what arrived is not valid HTTP/1.1, or the body is shorter or longer than its `Content-Length`.
         */
        MalformedRequestProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/malformed_request";
            title: string;
            /** @constant */
            status: 400;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "malformed_request";
            request_id: string;
        };
        /**
         * UnavailableProblem
         * @description Not available at the moment: the database does not answer in time or cannot take the change now, or the server has more to do than it can. Also: the payment processor does not answer, or takes no deposit.
         */
        UnavailableProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/unavailable";
            title: string;
            /** @constant */
            status: 503;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "unavailable";
            request_id: string;
        };
        /**
         * InvalidSignatureProblem
         * @description The signature is not valid: an event of the payment processor is not signed with `STRIPE_WEBHOOK_SECRET`, or was signed more than five minutes ago.
         */
        InvalidSignatureProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/invalid_signature";
            title: string;
            /** @constant */
            status: 400;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "invalid_signature";
            request_id: string;
        };
        /**
         * MissingCredentialsProblem
         * @description A bearer token is needed: there is no header `Authorization: Bearer …`.
         */
        MissingCredentialsProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/missing_credentials";
            title: string;
            /** @constant */
            status: 401;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "missing_credentials";
            request_id: string;
        };
        /**
         * InvalidCredentialsProblem
         * @description The bearer token is not valid: the token is unknown, damaged (its checksum is wrong) or revoked.
         */
        InvalidCredentialsProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/invalid_credentials";
            title: string;
            /** @constant */
            status: 401;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "invalid_credentials";
            request_id: string;
        };
        /**
         * SessionExpiredProblem
         * @description The session token has expired: the hour of a session token is over, or a newer session has taken its place.
         */
        SessionExpiredProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/session_expired";
            title: string;
            /** @constant */
            status: 401;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "session_expired";
            request_id: string;
        };
        /**
         * KeyTypeNotAllowedProblem
         * @description This kind of key may not do that: this type of key may not do this, for example a session token on `PATCH /bookings/{id}`.
         */
        KeyTypeNotAllowedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/key_type_not_allowed";
            title: string;
            /** @constant */
            status: 403;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "key_type_not_allowed";
            request_id: string;
            allowed_key_types: ("hub" | "business" | "publishable" | "session")[];
        };
        /**
         * OriginNotAllowedProblem
         * @description This website may not use the key: the publishable key, or the key that a session came from, is for certain websites only, and the header `Origin` names another.
         */
        OriginNotAllowedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/origin_not_allowed";
            title: string;
            /** @constant */
            status: 403;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "origin_not_allowed";
            request_id: string;
        };
        /**
         * RateLimitedProblem
         * @description Too many requests: the key, the session or the address has made as many requests as it may in a minute or an hour.
         */
        RateLimitedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/rate_limited";
            title: string;
            /** @constant */
            status: 429;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "rate_limited";
            request_id: string;
        };
        /**
         * PlanRequiredProblem
         * @description The plan does not include this: a business key or hub key is used on a plan that does not include it.
         */
        PlanRequiredProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/plan_required";
            title: string;
            /** @constant */
            status: 403;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "plan_required";
            request_id: string;
            /** @constant */
            required_plan: "enterprise";
        };
        /**
         * IdempotencyInFlightProblem
         * @description The first request with this key is still running: the first request with this `Idempotency-Key` is still running after five seconds of waiting for it.
         */
        IdempotencyInFlightProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/idempotency_in_flight";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "idempotency_in_flight";
            request_id: string;
        };
        /**
         * IdempotencyKeyReusedProblem
         * @description The idempotency key came with another request: this `Idempotency-Key` came with another request in the last 24 hours.
         */
        IdempotencyKeyReusedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/idempotency_key_reused";
            title: string;
            /** @constant */
            status: 422;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "idempotency_key_reused";
            request_id: string;
        };
        /**
         * SlotNotOfferedProblem
         * @description The slot is not offered: the business does not offer this slot.
         */
        SlotNotOfferedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/slot_not_offered";
            title: string;
            /** @constant */
            status: 422;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "slot_not_offered";
            request_id: string;
            /** @enum {string} */
            reason: "in_the_past" | "too_soon" | "beyond_horizon" | "outside_hours" | "blocked" | "not_on_grid" | "not_offered_here" | "staff_not_available";
            /** @description The nearest free slots of the same request. */
            alternatives: components["schemas"]["Slot"][];
        };
        /**
         * SlotHeldProblem
         * @description The slot is held by another client: somebody else's hold is in the way (bookings may be in the way as well).
         */
        SlotHeldProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/slot_held";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "slot_held";
            request_id: string;
            /** @description The nearest free slots of the same request. */
            alternatives: components["schemas"]["Slot"][];
        };
        /**
         * SlotBookedProblem
         * @description The slot is booked: everything that is in the way is booked.
         */
        SlotBookedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/slot_booked";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "slot_booked";
            request_id: string;
            /** @description The nearest free slots of the same request. */
            alternatives: components["schemas"]["Slot"][];
        };
        /**
         * HoldLimitReachedProblem
         * @description Too many active holds: the session has `MAX_HOLDS_PER_SESSION` active holds, or its network address (IPv6: its /64) has `MAX_HOLDS_PER_IP`.
         */
        HoldLimitReachedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/hold_limit_reached";
            title: string;
            /** @constant */
            status: 429;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "hold_limit_reached";
            request_id: string;
        };
        /**
         * HoldNotFoundProblem
         * @description No such hold: the hold does not exist, was released, was placed by another session, or its record is more than a day past its end.
         */
        HoldNotFoundProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/hold_not_found";
            title: string;
            /** @constant */
            status: 404;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "hold_not_found";
            request_id: string;
        };
        /**
         * HoldConvertedProblem
         * @description The hold already became a booking: the hold is a booking already and is converted or released again.
         */
        HoldConvertedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/hold_converted";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "hold_converted";
            request_id: string;
            /** Format: uuid */
            booking_id?: string;
        };
        /**
         * HoldExpiredProblem
         * @description The hold has lapsed: the hold has lapsed before it was converted.
         */
        HoldExpiredProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/hold_expired";
            title: string;
            /** @constant */
            status: 404;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            code: "hold_expired";
            request_id: string;
        };
        /**
         * VersionConflictProblem
         * @description The booking has changed meanwhile: `If-Match` names another version than the booking has.
         */
        VersionConflictProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/version_conflict";
            title: string;
            /** @constant */
            status: 412;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "version_conflict";
            request_id: string;
            current_etag: string;
        };
        /**
         * WebhookLimitReachedProblem
         * @description There are as many webhooks as there can be: the business has 20 webhooks, or the hub has 20 of its own.
         */
        WebhookLimitReachedProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/webhook_limit_reached";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "webhook_limit_reached";
            request_id: string;
        };
        /**
         * RotationInProgressProblem
         * @description The secret was replaced less than 24 hours ago: the secret of the webhook was replaced less than 24 hours ago, and the one before still counts. A third would leave a receiver without any that it knows.
         */
        RotationInProgressProblem: {
            /**
             * @description A page that says what to do.
             * @constant
             */
            type: "/problems/rotation_in_progress";
            title: string;
            /** @constant */
            status: 409;
            /** @description What was wrong with this very request, for people. */
            detail: string;
            /** @constant */
            code: "rotation_in_progress";
            request_id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of this request in the log of the server. */
        "X-Request-Id": string;
        /** @description How many requests the window allows that has the fewest left. */
        "X-RateLimit-Limit": number;
        /** @description How many requests are left in it. */
        "X-RateLimit-Remaining": number;
        /** @description When it ends, in Unix seconds. */
        "X-RateLimit-Reset": number;
        /** @description The seconds after which it is worth trying again. */
        "Retry-After": number;
        /** @description How to authenticate (RFC 6750). */
        "WWW-Authenticate": string;
        /** @description The version of the booking, for `If-Match`. */
        ETag: string;
        /** @description `true` when this is the answer to an earlier request with the same `Idempotency-Key`. */
        "Idempotent-Replayed": "true";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description The session token that this one replaces, from the same publishable key, valid or ended at most 15 minutes ago: its holds and bookings go over to the new session, and it ends. Any other value is ignored. */
                "X-Previous-Session"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A session token and the business that it acts for. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listServices: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Services by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createService: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new service. What is absent gets its default. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateService"];
            };
        };
        responses: {
            /** @description Something that can be booked. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `idempotency_in_flight`: The first request with this key is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, a UUID.
                 * @example 8722dbeb-7f09-8993-9751-bd3a10e37d26
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Something that can be booked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    deleteService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, a UUID.
                 * @example 8722dbeb-7f09-8993-9751-bd3a10e37d26
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is inactive. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeService: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the service, a UUID.
                 * @example 8722dbeb-7f09-8993-9751-bd3a10e37d26
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to be different; lists are replaced as a whole. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeService"];
            };
        };
        responses: {
            /** @description Something that can be booked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listLocations: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Locations by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createLocation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new location. Without a time zone it has the business's, without weekly hours it is always open. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateLocation"];
            };
        };
        responses: {
            /** @description Where services are given. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `idempotency_in_flight`: The first request with this key is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the location, a UUID.
                 * @example fc3de050-a368-8344-b985-f90b13bae9e6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where services are given. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    deleteLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the location, a UUID.
                 * @example fc3de050-a368-8344-b985-f90b13bae9e6
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is inactive. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeLocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the location, a UUID.
                 * @example fc3de050-a368-8344-b985-f90b13bae9e6
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to be different; holds and bookings stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeLocation"];
            };
        };
        responses: {
            /** @description Where services are given. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Location"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listStaff: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Staff members by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StaffPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createStaffMember: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new staff member. Without weekly hours they work whenever the location is open. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateStaffMember"];
            };
        };
        responses: {
            /** @description Somebody who gives services. A session token is shown `id` and `name` only. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StaffMember"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `idempotency_in_flight`: The first request with this key is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showStaffMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the staff member, a UUID.
                 * @example 93fa21da-6815-8fc2-b29b-fd569494e82d
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Somebody who gives services. A session token is shown `id` and `name` only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StaffMember"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    deleteStaffMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the staff member, a UUID.
                 * @example 93fa21da-6815-8fc2-b29b-fd569494e82d
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is inactive. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeStaffMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the staff member, a UUID.
                 * @example 93fa21da-6815-8fc2-b29b-fd569494e82d
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to be different; holds and bookings stay as they are. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeStaffMember"];
            };
        };
        responses: {
            /** @description Somebody who gives services. A session token is shown `id` and `name` only. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StaffMember"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                location_id?: string;
                staff_id?: string;
                /** @description Only blocks that end after this instant. */
                from?: string;
                /** @description Only blocks that start before it. */
                to?: string;
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Blocks by their start. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createBlock: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A time that nobody can book, of a location or of a staff member. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBlock"];
            };
        };
        responses: {
            /** @description A block, and the bookings that lie in its time. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockWithConflicts"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `idempotency_in_flight`: The first request with this key is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showBlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the block, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A block, and the bookings that lie in its time. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockWithConflicts"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    deleteBlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the block, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listBusinesses: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Businesses by name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BusinessPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createBusiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A new business of the hub. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBusiness"];
            };
        };
        responses: {
            /** @description One who offers services. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Business"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `idempotency_in_flight`: The first request with this key is still running. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the business, a UUID.
                 * @example 27b9f42d-b714-8810-8587-3a3a57b20f37
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One who offers services. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Business"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeBusiness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the business, a UUID.
                 * @example 27b9f42d-b714-8810-8587-3a3a57b20f37
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to be different. Its locations keep their time zones. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBusiness"];
            };
        };
        responses: {
            /** @description One who offers services. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Business"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of the business, a UUID.
                 * @example 27b9f42d-b714-8810-8587-3a3a57b20f37
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys, the newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the business, a UUID.
                 * @example 27b9f42d-b714-8810-8587-3a3a57b20f37
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What the key is for. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKey"];
            };
        };
        responses: {
            /** @description A new key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedKey"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the business, a UUID.
                 * @example 27b9f42d-b714-8810-8587-3a3a57b20f37
                 */
                id: string;
                /**
                 * @description The id of the key, a UUID.
                 * @example 01a1fa68-4d17-7c55-a1b0-9c53e0d7f2aa
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showAvailability: {
        parameters: {
            query: {
                service_id: string;
                location_id: string;
                staff_id?: string;
                /**
                 * @description The first date, in the zone of the location.
                 * @example 2026-12-01
                 */
                from: string;
                /**
                 * @description The last date, included: at most 61 days after `from`.
                 * @example 2026-12-01
                 */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What can be held at this moment. Every date that was asked for is there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Availability"];
                };
            };
            /** @description What the caller has is still right. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `slot_not_offered`: The slot is not offered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["SlotNotOfferedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    explainSlot: {
        parameters: {
            query: {
                service_id: string;
                location_id: string;
                staff_id?: string;
                /** @description With an offset or `Z`; fractions of a second are cut off. */
                starts_at: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether a session could hold the slot at this moment; if not, the reason for which it is refused. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description What the caller has is still right. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    findSoonestSlot: {
        parameters: {
            query: {
                service_id: string;
                location_id: string;
                staff_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Slot"] | null;
                };
            };
            /** @description What the caller has is still right. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `slot_not_offered`: The slot is not offered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["SlotNotOfferedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    placeHold: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The slot to hold. With `staff_id` that person or nobody, without it whoever is free and has the fewest bookings that day. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlaceHold"];
            };
        };
        responses: {
            /** @description A slot that nobody else can hold or book until `expires_at`. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /**
             * @description `slot_held`: The slot is held by another client.
             *
             *     `slot_booked`: The slot is booked.
             *
             *     `idempotency_in_flight`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["SlotHeldProblem"] | components["schemas"]["SlotBookedProblem"] | components["schemas"]["IdempotencyInFlightProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `slot_not_offered`: The slot is not offered.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["SlotNotOfferedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests.
             *
             *     `hold_limit_reached`: Too many active holds.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"] | components["schemas"]["HoldLimitReachedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the hold, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                hold_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A hold and what has become of it. It can be read for a day after its end. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldWithStatus"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `hold_not_found`: No such hold. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HoldNotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    releaseHold: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the hold, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                hold_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hold is over. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `hold_not_found`: No such hold. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HoldNotFoundProblem"];
                };
            };
            /** @description `hold_converted`: The hold already became a booking. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HoldConvertedProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listBookings: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                status?: components["schemas"]["BookingStatus"];
                /** @description Only bookings that start at this instant or later. */
                from?: string;
                /** @description Only bookings that start before it. */
                to?: string;
                service_id?: string;
                location_id?: string;
                staff_id?: string;
                /** @description The whole e-mail address of the client. */
                email?: string;
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Bookings, the newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookingPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createBooking: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name for this request. Sent again with the same name within 24 hours, it changes nothing and gets the first answer with `Idempotent-Replayed: true`. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The hold to convert, and for whom. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConvertHold"];
            };
        };
        responses: {
            /** @description A booking. Its id is that of the hold that it was made from. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /**
             * @description `hold_not_found`: No such hold.
             *
             *     `hold_expired`: The hold has lapsed.
             */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["HoldNotFoundProblem"] | components["schemas"]["HoldExpiredProblem"];
                };
            };
            /**
             * @description `idempotency_in_flight`: The first request with this key is still running.
             *
             *     `hold_converted`: The hold already became a booking.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["IdempotencyInFlightProblem"] | components["schemas"]["HoldConvertedProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `idempotency_key_reused`: The idempotency key came with another request.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["IdempotencyKeyReusedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showBooking: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the booking, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A booking. Its id is that of the hold that it was made from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    cancelBooking: {
        parameters: {
            query?: {
                /** @description Whether the deposit goes back to the client; if absent: `none`. `full` is refused where none was paid. */
                refund?: "full" | "none";
            };
            header?: {
                /**
                 * @description The `ETag` of the booking as it was read: when it has changed meanwhile, the answer is 412.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of the booking, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A booking. Its id is that of the hold that it was made from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `version_conflict`: The booking has changed meanwhile. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["VersionConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeBooking: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the booking as it was read: when it has changed meanwhile, the answer is 412.
                 * @example "1"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of the booking, a UUID.
                 * @example 01a1fa68-2f8d-7aba-8613-821934a98a29
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to be different. With `starts_at` alone the duration stays. A status other than `cancelled` takes the slot of a cancelled booking again. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBooking"];
            };
        };
        responses: {
            /** @description A booking. Its id is that of the hold that it was made from. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /**
             * @description `slot_held`: The slot is held by another client.
             *
             *     `slot_booked`: The slot is booked.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["SlotHeldProblem"] | components["schemas"]["SlotBookedProblem"];
                };
            };
            /** @description `version_conflict`: The booking has changed meanwhile. */
            412: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["VersionConflictProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /**
             * @description `validation_failed`: The request has faults.
             *
             *     `slot_not_offered`: The slot is not offered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"] | components["schemas"]["SlotNotOfferedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description For hub keys: only the webhooks of this business. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Webhooks, the newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Where to send which events. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description A webhook and its new secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `webhook_limit_reached`: There are as many webhooks as there can be. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["WebhookLimitReachedProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    showWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where events are sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        /** @description What is to change. Disabled, nothing is sent to it. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description Where events are sent. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook and its new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `rotation_in_progress`: The secret was replaced less than 24 hours ago. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RotationInProgressProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                status?: components["schemas"]["DeliveryStatus"];
            };
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries, the newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
                /**
                 * @description The id of the delivery, a UUID.
                 * @example 01a1fa68-2f8d-8d14-b6a0-94c2f7e13d00
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the webhook, a UUID.
                 * @example 01a1fa68-2f90-7c3e-9a41-6f1d3b8e5c02
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One event on its way to one webhook. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /**
             * @description `malformed_json`: The body is not valid JSON.
             *
             *     `malformed_request`: The request is not valid HTTP.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MalformedJsonProblem"] | components["schemas"]["MalformedRequestProblem"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `not_found`: Not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotFoundProblem"];
                };
            };
            /** @description `payload_too_large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["PayloadTooLargeProblem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be JSON. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnsupportedMediaTypeProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description How many entries the page has at most. */
                limit?: number;
                /** @description `next_cursor` of the page before; absent for the first page. */
                cursor?: string;
                /** @description The id of an event: only those that come after it. Who follows so misses none, also none that is committed late. */
                after?: string;
                /** @description Only the events of this booking. */
                booking_id?: string;
                type?: components["schemas"]["EventName"];
                /** @description For hub keys: one business of the hub. */
                business_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, the oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            /**
             * @description `missing_credentials`: A bearer token is needed.
             *
             *     `invalid_credentials`: The bearer token is not valid.
             *
             *     `session_expired`: The session token has expired.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["MissingCredentialsProblem"] | components["schemas"]["InvalidCredentialsProblem"] | components["schemas"]["SessionExpiredProblem"];
                };
            };
            /**
             * @description `key_type_not_allowed`: This kind of key may not do that.
             *
             *     `plan_required`: The plan does not include this.
             *
             *     `origin_not_allowed`: This website may not use the key.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["KeyTypeNotAllowedProblem"] | components["schemas"]["PlanRequiredProblem"] | components["schemas"]["OriginNotAllowedProblem"];
                };
            };
            /** @description `validation_failed`: The request has faults. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ValidationFailedProblem"];
                };
            };
            /** @description `rate_limited`: Too many requests. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RateLimitedProblem"];
                };
            };
            /** @description `internal`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["InternalProblem"];
                };
            };
            /** @description `unavailable`: Not available at the moment. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["UnavailableProblem"];
                };
            };
        };
    };
}
