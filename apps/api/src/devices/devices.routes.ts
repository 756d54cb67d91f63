import { type Device, type Devices, PUSH_CHANNEL_ID } from '@back-office/consent';
import { formatDateTime } from '@back-office/kernel';
import { ok } from '../http/answer.js';
import { unauthorizedAnswer } from '../http/errors.js';
import { IsInt, Length, Max, Min, Type, ValidateNested, Wrapper } from '../http/request-fields.js';
import { route, type Route } from '../http/route.js';
import { Type as Shape } from '@sinclair/typebox';
import { anyObject, dateTime, integer, component, nullable, record, text, type TypeOf } from '../http/shapes.js';
import { DeviceDetailFields, deviceDetailsOf } from '../sessions/index.js';

const MAX_TOKEN_LENGTH = 4_096;

class NotificationDeviceFields extends DeviceDetailFields {
  @Length(1, MAX_TOKEN_LENGTH) messaging_token!: string;
  /** The push channel is the only channel with messaging tokens. */
  @IsInt() @Min(PUSH_CHANNEL_ID) @Max(PUSH_CHANNEL_ID) notification_channel_id!: number;
}

class PutNotificationDevice {
  @Wrapper() @ValidateNested() @Type(() => NotificationDeviceFields) notification_device!: NotificationDeviceFields;
}

const DeviceShape = component('NotificationDevice', {
  id: integer,
  uuid: text,
  messaging_token: text,
  notification_channel_id: integer,
  device_type: nullable(text),
  device_vendor: nullable(text),
  mobile_info: Shape.Union([text, anyObject, Shape.Null()]),
  inserted_at: dateTime,
  updated_at: dateTime,
});

export function deviceRoutes(devices: Devices): Route[] {
  return [
    route({
      method: 'put',
      path: '/notification_device',
      caller: 'customer',
      summary: "Registers the session's device for pushes; removes its token from all other devices of the app",
      body: PutNotificationDevice,
      answers: { 200: record({ data: DeviceShape }) },
      handle: async ({ app, tokenId, body: { notification_device: fields } }) => {
        const device = { messagingToken: fields.messaging_token.trim(), ...deviceDetailsOf(fields) };
        const storedDevice = await devices.register(app.id, tokenId, device);
        return storedDevice
          ? ok(presentDevice(storedDevice))
          : unauthorizedAnswer({ failure: 'API.Tokens.Revoked', speech: app });
      },
    }),
  ];
}

function presentDevice(device: Device): TypeOf<typeof DeviceShape> {
  return {
    id: device.id,
    uuid: device.uuid,
    messaging_token: device.messaging_token,
    notification_channel_id: device.notification_channel_id,
    device_type: device.device_type,
    device_vendor: device.device_vendor,
    mobile_info: device.mobile_info,
    inserted_at: formatDateTime(device.inserted_at),
    updated_at: formatDateTime(device.updated_at),
  };
}
