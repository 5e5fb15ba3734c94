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
        post?: never;
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        post?: never;
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
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        post?: never;
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
         * @description The booking is confirmed at once and has the id of the hold. A hold converts once. Its slot stays taken until the booking is cancelled.
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
         * @description Its slot is free at once. Cancelling again changes nothing.
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
                code: "required" | "unknown_field" | "wrong_type" | "invalid_format" | "too_short" | "too_long" | "too_many" | "not_allowed" | "out_of_range" | "wrong_length" | "wrong_value" | "repeated" | "invalid_cursor" | "invalid";
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
         * @description Not available at the moment: the database does not answer in time or cannot take the change now, or the server has more to do than it can. Also, until deposits are built: a hold of a service with a deposit is converted.
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
}
