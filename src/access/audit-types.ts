/** What the audit log can tell of. A change of a booking has the name of its event. */
export const auditActions = [
  ...(['booking.created', 'booking.updated', 'booking.cancelled', 'booking.completed'] as const),
  ...(['booking.confirmed', 'booking.refunded', 'booking.link_renewed', 'booking.reminders_ended'] as const),
  ...(['booking.client_erased'] as const),
  ...(['service.created', 'service.updated', 'service.deactivated'] as const),
  ...(['location.created', 'location.updated', 'location.deactivated'] as const),
  ...(['staff.created', 'staff.updated', 'staff.deactivated'] as const),
  ...(['block.created', 'block.updated', 'block.deleted'] as const),
  ...(['hub.created', 'hub.updated'] as const),
  ...(['business.created', 'business.updated', 'business.imported'] as const),
  ...(['business.client_blocked', 'business.client_unblocked'] as const),
  ...(['business.client_exported', 'business.client_erased', 'business.old_clients_erased'] as const),
  ...(['key.created', 'key.updated', 'key.revoked'] as const),
  ...(['feed.created', 'feed.rotated', 'feed.deleted'] as const),
  ...(['busy_calendar.created', 'busy_calendar.deleted'] as const),
  ...(['webhook.created', 'webhook.updated', 'webhook.deleted', 'webhook.secret_rotated'] as const),
  ...([
    'user.created',
    'user.updated',
    'user.disabled',
    'user.enabled',
    'user.link_made',
    'user.link_mailed',
  ] as const),
  ...(['user.password_set', 'user.password_changed', 'user.log_ins_ended'] as const),
  ...(['user.second_step_added', 'user.second_step_removed', 'user.recovery_code_used'] as const),
  'user.recovery_codes_renewed' as const,
  ...(['webhook.tested', 'delivery.retried', 'mail.retried'] as const),
] as const

export type AuditAction = (typeof auditActions)[number]
