import { ACTIONS_BY_PREFIX, type ActionName, type Call, type Services } from "@fanfare/contract";

type Names = Readonly<Record<string, ActionName>>;

const names = new Map<PropertyKey, Names>(
  Object.entries(ACTIONS_BY_PREFIX).map(([prefix, actions]) => {
    const entries = Object.keys(actions).map((action) => [action, `${prefix}.${action}`]);
    return [prefix, Object.assign(Object.create(null), Object.fromEntries(entries)) as Names];
  }),
);

/** The actions of the contract as methods that go through `call`. Methods can be detached. */
export function createServices(call: Call): Services {
  return new Proxy({} as Services, { get: (_, prefix) => methodsOf(names.get(prefix), call) });
}

function methodsOf(actions: Names | undefined, call: Call) {
  return (
    actions &&
    new Proxy(actions, {
      get(_, action) {
        const name = actions[action as string];
        return name && ((params: never) => call(name, params));
      },
    })
  );
}

/** Converts `services` back to a `Call`, for actions whose name is known only at run time. */
export function callOf(services: Services): Call {
  return (name, params) => {
    const [prefix, action] = name.split(".") as [string, string];
    const methods = services as unknown as Record<string, Record<string, (params: unknown) => never>>;
    return methods[prefix]![action]!(params);
  };
}
