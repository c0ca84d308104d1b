package chat.fanfare.mobile;

import android.os.Bundle;
import com.getcapacitor.BridgeActivity;

public class MainActivity extends BridgeActivity {

    @Override
    protected void onCreate(Bundle savedInstanceState) {
        registerPlugin(ServersPlugin.class);
        super.onCreate(savedInstanceState);
    }
}
