package chat.fanfare.mobile;

import android.content.Context;
import android.content.Intent;
import android.content.SharedPreferences;
import android.net.Uri;
import androidx.webkit.ScriptHandler;
import androidx.webkit.WebViewCompat;
import androidx.webkit.WebViewFeature;
import com.getcapacitor.JSObject;
import com.getcapacitor.Plugin;
import com.getcapacitor.PluginCall;
import com.getcapacitor.PluginMethod;
import com.getcapacitor.annotation.CapacitorPlugin;
import java.util.Set;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Remembers servers and shows their pages in the app's window. Capacitor's API is only there for the chooser, which has the
 * app's own origin: pages of servers get none of it.
 */
@CapacitorPlugin(name = "Servers")
public class ServersPlugin extends Plugin {

    private static final String KEY = "servers";
    private static final int MAX_SERVERS = 20;

    private final Navigation navigation = new Navigation();
    private String link = "";
    private ScriptHandler script;

    /** A webview ignores downloads. The URL of a file has the permission to load it, so that the browser can. */
    @Override
    public void load() {
        getBridge()
            .getWebView()
            .setDownloadListener((url, userAgent, disposition, type, bytes) -> {
                Uri file = Uri.parse(url);
                if ("https".equals(file.getScheme())) openOutside(file);
            });
    }

    /** Links open the chooser, which knows what they mean. Also called with the intent that started the app. */
    @Override
    protected void handleOnNewIntent(Intent intent) {
        super.handleOnNewIntent(intent);
        String text = linkOf(intent);
        if (text == null || !text.startsWith("fanfare:")) return;
        link = text;
        // The activity keeps the intent, and would open the link again when it is created again.
        intent.setData(null);
        intent.removeExtra("link");
        navigation.choose(null);
        getBridge().getWebView().loadUrl(getBridge().getLocalUrl());
    }

    /** A notification that was tapped starts the app with the data of the push. */
    private static String linkOf(Intent intent) {
        return intent.getDataString() == null ? intent.getStringExtra("link") : intent.getDataString();
    }

    @Override
    public Boolean shouldOverrideLoad(Uri url) {
        String path = url.isHierarchical() ? url.getPath() : null;
        String authority = url.isHierarchical() ? url.getEncodedAuthority() : null;
        switch (navigation.decide(url.getScheme(), authority, path, System.currentTimeMillis())) {
            case LOAD:
                return false;
            case OUTSIDE:
                // Capacitor would load the chooser.
                if (!"localhost".equals(url.getHost())) openOutside(url);
                return true;
            default:
                return true;
        }
    }

    @PluginMethod
    public void list(PluginCall call) {
        call.resolve(read().put("push", hasFirebase()));
    }

    /** Whether the app was built with a google-services.json. Without it, registering for pushes ends the app. */
    private boolean hasFirebase() {
        String name = getContext().getPackageName();
        return getContext().getResources().getIdentifier("google_app_id", "string", name) != 0;
    }

    /** Resolves with the link that the chooser has to open, once. */
    @PluginMethod
    public void takeLink(PluginCall call) {
        call.resolve(new JSObject().put("link", link));
        link = "";
    }

    @PluginMethod
    public void open(PluginCall call) {
        String origin = call.getString("origin");
        String path = call.getString("path");
        if (!Navigation.isOrigin(origin) || !Navigation.isPath(path)) {
            call.reject("failed");
            return;
        }
        JSObject servers = without(origin);
        JSONArray list = servers.optJSONArray("list");
        if (list.length() >= MAX_SERVERS) {
            call.reject("tooMany");
            return;
        }
        list.put(new JSObject().put("origin", origin).put("name", call.getString("name", "Fanfare")));
        if (!save(servers.put("current", origin))) {
            call.reject("notSaved");
            return;
        }
        call.resolve();
        getActivity()
            .runOnUiThread(() -> {
                navigation.choose(origin);
                tellPush(origin, call.getString("push", ""));
                getBridge().getWebView().loadUrl(origin + path);
            });
    }

    @PluginMethod
    public void remove(PluginCall call) {
        JSObject servers = without(call.getString("origin", ""));
        if (save(servers)) call.resolve(servers);
        else call.reject("notSaved");
    }

    /** The page of the server learns how the server reaches this app. Pages of other origins don't. */
    private void tellPush(String origin, String push) {
        if (script != null) script.remove();
        script = null;
        if (push.isEmpty() || !WebViewFeature.isFeatureSupported(WebViewFeature.DOCUMENT_START_SCRIPT)) return;
        String app = new JSObject().put("push", push).toString();
        script = WebViewCompat.addDocumentStartJavaScript(
            getBridge().getWebView(),
            "window.fanfareApp = " + app + ";",
            Set.of(origin)
        );
    }

    private void openOutside(Uri url) {
        try {
            getActivity().startActivity(new Intent(Intent.ACTION_VIEW, url));
        } catch (android.content.ActivityNotFoundException error) {
            // No app opens such links.
        }
    }

    private JSObject without(String origin) {
        JSObject servers = read();
        JSONArray list = servers.optJSONArray("list");
        for (int at = list.length() - 1; at >= 0; at--) {
            JSONObject server = list.optJSONObject(at);
            if (server == null || origin.equals(server.optString("origin"))) list.remove(at);
        }
        if (origin.equals(servers.optString("current"))) servers.put("current", JSONObject.NULL);
        return servers;
    }

    /** Damaged data means none: the chooser asks again. */
    private JSObject read() {
        try {
            JSObject servers = new JSObject(preferences().getString(KEY, "{}"));
            if (servers.optJSONArray("list") == null) servers.put("list", new JSONArray());
            if (!servers.has("current")) servers.put("current", JSONObject.NULL);
            return servers;
        } catch (JSONException error) {
            return new JSObject().put("list", new JSONArray()).put("current", JSONObject.NULL);
        }
    }

    private boolean save(JSObject servers) {
        return preferences().edit().putString(KEY, servers.toString()).commit();
    }

    private SharedPreferences preferences() {
        return getContext().getSharedPreferences("chat.fanfare.servers", Context.MODE_PRIVATE);
    }
}
