import { Type } from 'typebox'
import { Nullable } from '../wire.ts'

/** The answer of the session exchange: exactly the specification's fields. */
export const Session = Type.Object({
  session_token: Type.String(),
  expires_at: Type.String(),
  show_branding: Type.Boolean(),
  business: Type.Object({
    id: Type.String(),
    name: Type.String(),
    timezone: Type.String(),
    brand_name: Nullable(Type.String()),
    brand_color: Nullable(Type.String()),
    brand_logo_url: Nullable(Type.String()),
  }),
})
