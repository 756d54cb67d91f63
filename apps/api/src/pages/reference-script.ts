const SETTINGS = {
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  // Otherwise the page would send the document to a validator of another host.
  validatorUrl: null,
};

/** Starts Swagger UI in the browser. */
export const REFERENCE_SCRIPT = `const KEY = 'authorization';

const isToken = ([, token]) => typeof token?.value === 'string';

// Damaged tokens count as none.
const readTokens = () => {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(sessionStorage.getItem(KEY)) ?? {}).filter(isToken));
  } catch {
    return {};
  }
};

const storeTokens = (tokens) => sessionStorage.setItem(KEY, JSON.stringify(tokens));

// Tokens stay in the tab: other tabs and later visits do not have them.
const rememberTokens = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (tokens) => {
          storeTokens({ ...readTokens(), ...tokens });
          return authorize(tokens);
        },
        logout: (logout) => (names) => {
          storeTokens(Object.fromEntries(Object.entries(readTokens()).filter(([name]) => !names.includes(name))));
          return logout(names);
        },
      },
    },
  },
});

// By default, the filter would search only the names of areas.
const searchCalls = () => ({
  fn: {
    opsFilter: (areas, phrase) => {
      const wanted = phrase.toLowerCase();
      const matches = (text) => text.toLowerCase().includes(wanted);
      const textOf = (call) => [call.get('method'), call.get('path'), call.getIn(['operation', 'summary'])].join(' ');
      return areas
        .map((area, name) =>
          matches(name) ? area : area.update('operations', (calls) => calls.filter((call) => matches(textOf(call)))),
        )
        .filter((area) => area.get('operations').size > 0);
    },
  },
  wrapComponents: {
    // A search opens the areas.
    OperationTag: (Area, { React }) => (props) => {
      const isSearching = typeof props.layoutSelectors.currentFilter() === 'string';
      const isShown = (path, byDefault) => props.layoutSelectors.isShown(path, byDefault || isSearching);
      return React.createElement(Area, { ...props, layoutSelectors: { ...props.layoutSelectors, isShown } });
    },
  },
});

const ui = SwaggerUIBundle({
  ...${JSON.stringify(SETTINGS)},
  plugins: [rememberTokens, searchCalls],
  onComplete: () => {
    ui.authActions.authorize(readTokens());
  },
});
`;
